"""The soak: very many calls and streams through one client, some of them going wrong, and every one of them checked."""
