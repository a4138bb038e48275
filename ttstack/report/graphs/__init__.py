"""Programs as graphs, in the JSON that Model Explorer (https://github.com/google-ai-edge/model-explorer) opens."""
