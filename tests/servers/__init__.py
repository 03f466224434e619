"""Real servers on the loopback interface, for tests of the client and its transport."""
