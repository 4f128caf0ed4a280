"""From the tables to images of now or of an earlier moment, and the copies that make it quick."""
