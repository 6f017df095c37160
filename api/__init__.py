"""The edge: HTTP, WebSocket and the command line over `service`."""
