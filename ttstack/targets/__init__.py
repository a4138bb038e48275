"""What a model is compiled for besides a Tenstorrent device, and the engines that a program runs on."""
