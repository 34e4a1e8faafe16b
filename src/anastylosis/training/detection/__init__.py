"""How the eye learns: pictures drawn on the fly, a net whose pixels vote for blocks, and one that looks at a proposed block."""
