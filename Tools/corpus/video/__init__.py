"""Generated videos with the ground truth of every frame: the objects' places and visible shares."""
