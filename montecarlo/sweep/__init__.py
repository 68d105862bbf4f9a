"""A sweep: what is missing is cut into cells, computed wherever there is room, and kept."""
