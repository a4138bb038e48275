"""Extension for the original Model Explorer: `model-explorer model.ttb --extensions=ttstack.explore.extension`."""
