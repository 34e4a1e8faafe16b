"""Films, pictures and the report of a reconstruction. `write_results` writes all of it."""
