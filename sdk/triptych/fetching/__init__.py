"""Files from the web, fetched when a program asks for it: `fetch` for one part, `fetch_media` for a request."""
