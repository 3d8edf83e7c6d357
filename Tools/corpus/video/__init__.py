"""Generated videos of one object each, with the truth of every frame: where it is, how much of it is in sight."""
