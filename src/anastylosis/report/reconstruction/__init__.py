"""What a reconstruction leaves to look at: films, pictures, the report. `write_results` writes all of it."""
