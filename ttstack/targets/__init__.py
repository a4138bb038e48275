"""What else than a Tenstorrent device a model can be compiled for."""
