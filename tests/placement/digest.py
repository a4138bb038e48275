"""Prints what a fixed function compiles to, for one process to compare with another."""

import hashlib
import sys

from tests.placement.compiled import compiled
from tests.placement.devices import device

TEXT = """
func.func @f(%a: tensor<256x256xbf16>, %i: tensor<64xi32>, %t: tensor<50x256xbf16>) -> tensor<256x256xbf16> {
  %0 = "ttir.exp"(%a) : (tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %1 = "ttir.softmax"(%0) {dimension = 1 : si32} : (tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %2 = "ttir.matmul"(%1, %0) : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %3 = "ttir.add"(%i, %i) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  %4 = "ttir.embedding"(%3, %t) : (tensor<64xi32>, tensor<50x256xbf16>) -> tensor<64x256xbf16>
  %5 = "ttir.sum"(%4) {keep_dim = true, dim_arg = [0 : i32]} : (tensor<64x256xbf16>) -> tensor<1x256xbf16>
  %6 = "ttir.add"(%2, %5) : (tensor<256x256xbf16>, tensor<1x256xbf16>) -> tensor<256x256xbf16>
  return %6 : tensor<256x256xbf16>
}
"""

if __name__ == "__main__":
    functions = compiled(TEXT, device()).functions
    sys.stdout.write(hashlib.sha256(repr(functions).encode()).hexdigest())
