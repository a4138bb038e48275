"""For stock Model Explorer: `model-explorer model.ttb --extensions=ttstack.explore.extension`; it loads `main`."""
