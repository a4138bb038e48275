// RUN: not ttstack opt %s -p "fusse" 2>&1 | filecheck %s --check-prefix=TYPO
// RUN: not ttstack opt %s -p "nothing-like-it" 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not ttstack opt %s -p "fuse{nope=1}" 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not ttstack opt %s -p "fold-constants{max-bytes=many}" 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not ttstack opt %s -p "place{dtype=i32" 2>&1 | filecheck %s --check-prefix=OPEN
// RUN: not ttstack opt %s -p "fuse cse" 2>&1 | filecheck %s --check-prefix=COMMA
// RUN: not ttstack opt %s -p "simplify{x=1}" 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: ttstack opt %s -p "fuse , cse,canonicalize{max-iterations=2},lower{placement=dram},cse" --system-desc wormhole | filecheck %s
// TYPO: error[TT0301]: there is no pass or pipeline 'fusse'
// TYPO-NEXT: = help: did you mean 'fuse'?
// UNKNOWN: error[TT0301]: there is no pass or pipeline 'nothing-like-it'
// UNKNOWN-NEXT: = help: passes and pipelines: add-entry-points, apply-patterns, {{.*}}, version-buffers
// OPTION: error[TT0301]: bad options for 'fuse'
// OPTION-NEXT: = note: nope: no such option
// OPTION-NEXT: = help: its options: none
// VALUE: = note: max-bytes: Input should be a valid integer
// VALUE-NEXT: = help: its options: max-bytes
// OPEN: error[TT0301]: cannot read the pipeline at 'place{dtype=i32'
// OPEN-NEXT: = help: write name{key=value ...},name2
// COMMA: error[TT0301]: cannot read the pipeline at 'fuse cse'
// PIPELINE: error[TT0301]: bad options for 'simplify'
// PIPELINE-NEXT: = note: x: no such option
// PIPELINE-NEXT: = help: its options: none
// CHECK: "ttnn.exp"
func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "ttir.exp"(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
