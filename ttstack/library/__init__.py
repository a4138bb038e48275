"""The real `ttnn` library on a mock device, as the judge of programs that call it. It runs in another interpreter."""
