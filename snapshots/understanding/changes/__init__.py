"""What a sentence ends or puts right: notes and slots that were held until it was said."""
