"""Targets other than a Tenstorrent device, and the engines that run a program."""
