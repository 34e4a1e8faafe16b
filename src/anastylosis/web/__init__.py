"""The page: reconstructions in a browser. Everything a visitor does happens in a session of their own."""
