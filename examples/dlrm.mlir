// A deep learning recommendation model: 13 dense features, 26 embedding tables of width 64 whose rows are
// Criteo Kaggle's cardinalities capped at 100,000, four indices a bag, pairwise interaction, batch 128.
func.func @forward(
    %dense: tensor<128x13xbf16> {ttir.name = "dense", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_0: tensor<512xi32> {ttir.name = "indices.0", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_0: tensor<128xi32> {ttir.name = "offsets.0", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_1: tensor<512xi32> {ttir.name = "indices.1", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_1: tensor<128xi32> {ttir.name = "offsets.1", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_2: tensor<512xi32> {ttir.name = "indices.2", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_2: tensor<128xi32> {ttir.name = "offsets.2", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_3: tensor<512xi32> {ttir.name = "indices.3", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_3: tensor<128xi32> {ttir.name = "offsets.3", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_4: tensor<512xi32> {ttir.name = "indices.4", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_4: tensor<128xi32> {ttir.name = "offsets.4", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_5: tensor<512xi32> {ttir.name = "indices.5", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_5: tensor<128xi32> {ttir.name = "offsets.5", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_6: tensor<512xi32> {ttir.name = "indices.6", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_6: tensor<128xi32> {ttir.name = "offsets.6", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_7: tensor<512xi32> {ttir.name = "indices.7", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_7: tensor<128xi32> {ttir.name = "offsets.7", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_8: tensor<512xi32> {ttir.name = "indices.8", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_8: tensor<128xi32> {ttir.name = "offsets.8", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_9: tensor<512xi32> {ttir.name = "indices.9", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_9: tensor<128xi32> {ttir.name = "offsets.9", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_10: tensor<512xi32> {ttir.name = "indices.10", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_10: tensor<128xi32> {ttir.name = "offsets.10", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_11: tensor<512xi32> {ttir.name = "indices.11", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_11: tensor<128xi32> {ttir.name = "offsets.11", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_12: tensor<512xi32> {ttir.name = "indices.12", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_12: tensor<128xi32> {ttir.name = "offsets.12", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_13: tensor<512xi32> {ttir.name = "indices.13", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_13: tensor<128xi32> {ttir.name = "offsets.13", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_14: tensor<512xi32> {ttir.name = "indices.14", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_14: tensor<128xi32> {ttir.name = "offsets.14", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_15: tensor<512xi32> {ttir.name = "indices.15", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_15: tensor<128xi32> {ttir.name = "offsets.15", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_16: tensor<512xi32> {ttir.name = "indices.16", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_16: tensor<128xi32> {ttir.name = "offsets.16", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_17: tensor<512xi32> {ttir.name = "indices.17", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_17: tensor<128xi32> {ttir.name = "offsets.17", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_18: tensor<512xi32> {ttir.name = "indices.18", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_18: tensor<128xi32> {ttir.name = "offsets.18", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_19: tensor<512xi32> {ttir.name = "indices.19", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_19: tensor<128xi32> {ttir.name = "offsets.19", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_20: tensor<512xi32> {ttir.name = "indices.20", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_20: tensor<128xi32> {ttir.name = "offsets.20", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_21: tensor<512xi32> {ttir.name = "indices.21", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_21: tensor<128xi32> {ttir.name = "offsets.21", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_22: tensor<512xi32> {ttir.name = "indices.22", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_22: tensor<128xi32> {ttir.name = "offsets.22", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_23: tensor<512xi32> {ttir.name = "indices.23", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_23: tensor<128xi32> {ttir.name = "offsets.23", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_24: tensor<512xi32> {ttir.name = "indices.24", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_24: tensor<128xi32> {ttir.name = "offsets.24", ttcore.argument_type = #ttcore.argument_type<input>},
    %indices_25: tensor<512xi32> {ttir.name = "indices.25", ttcore.argument_type = #ttcore.argument_type<input>},
    %offsets_25: tensor<128xi32> {ttir.name = "offsets.25", ttcore.argument_type = #ttcore.argument_type<input>},
    %bottom_0_weight: tensor<512x13xbf16> {ttir.name = "bottom.0.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %bottom_0_bias: tensor<512xbf16> {ttir.name = "bottom.0.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %bottom_1_weight: tensor<256x512xbf16> {ttir.name = "bottom.1.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %bottom_1_bias: tensor<256xbf16> {ttir.name = "bottom.1.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %bottom_2_weight: tensor<64x256xbf16> {ttir.name = "bottom.2.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %bottom_2_bias: tensor<64xbf16> {ttir.name = "bottom.2.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_0_weight: tensor<1460x64xbf16> {ttir.name = "tables.0.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_1_weight: tensor<583x64xbf16> {ttir.name = "tables.1.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_2_weight: tensor<100000x64xbf16> {ttir.name = "tables.2.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_3_weight: tensor<100000x64xbf16> {ttir.name = "tables.3.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_4_weight: tensor<305x64xbf16> {ttir.name = "tables.4.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_5_weight: tensor<24x64xbf16> {ttir.name = "tables.5.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_6_weight: tensor<12517x64xbf16> {ttir.name = "tables.6.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_7_weight: tensor<633x64xbf16> {ttir.name = "tables.7.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_8_weight: tensor<3x64xbf16> {ttir.name = "tables.8.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_9_weight: tensor<93145x64xbf16> {ttir.name = "tables.9.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_10_weight: tensor<5683x64xbf16> {ttir.name = "tables.10.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_11_weight: tensor<100000x64xbf16> {ttir.name = "tables.11.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_12_weight: tensor<3194x64xbf16> {ttir.name = "tables.12.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_13_weight: tensor<27x64xbf16> {ttir.name = "tables.13.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_14_weight: tensor<14992x64xbf16> {ttir.name = "tables.14.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_15_weight: tensor<100000x64xbf16> {ttir.name = "tables.15.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_16_weight: tensor<10x64xbf16> {ttir.name = "tables.16.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_17_weight: tensor<5652x64xbf16> {ttir.name = "tables.17.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_18_weight: tensor<2173x64xbf16> {ttir.name = "tables.18.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_19_weight: tensor<4x64xbf16> {ttir.name = "tables.19.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_20_weight: tensor<100000x64xbf16> {ttir.name = "tables.20.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_21_weight: tensor<18x64xbf16> {ttir.name = "tables.21.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_22_weight: tensor<15x64xbf16> {ttir.name = "tables.22.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_23_weight: tensor<100000x64xbf16> {ttir.name = "tables.23.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_24_weight: tensor<105x64xbf16> {ttir.name = "tables.24.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %tables_25_weight: tensor<100000x64xbf16> {ttir.name = "tables.25.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %top_0_weight: tensor<512x793xbf16> {ttir.name = "top.0.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %top_0_bias: tensor<512xbf16> {ttir.name = "top.0.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %top_1_weight: tensor<256x512xbf16> {ttir.name = "top.1.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %top_1_bias: tensor<256xbf16> {ttir.name = "top.1.bias", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %top_2_weight: tensor<1x256xbf16> {ttir.name = "top.2.weight", ttcore.argument_type = #ttcore.argument_type<parameter>},
    %top_2_bias: tensor<1xbf16> {ttir.name = "top.2.bias", ttcore.argument_type = #ttcore.argument_type<parameter>}
) -> (tensor<128x1xbf16> {ttir.name = "click_probability"}) {
  %0 = "ttir.linear"(%dense, %bottom_0_weight, %bottom_0_bias) <{transpose_b = true}> : (tensor<128x13xbf16>, tensor<512x13xbf16>, tensor<512xbf16>) -> tensor<128x512xbf16>
  %1 = "ttir.relu"(%0) : (tensor<128x512xbf16>) -> tensor<128x512xbf16>
  %2 = "ttir.linear"(%1, %bottom_1_weight, %bottom_1_bias) <{transpose_b = true}> : (tensor<128x512xbf16>, tensor<256x512xbf16>, tensor<256xbf16>) -> tensor<128x256xbf16>
  %3 = "ttir.relu"(%2) : (tensor<128x256xbf16>) -> tensor<128x256xbf16>
  %4 = "ttir.linear"(%3, %bottom_2_weight, %bottom_2_bias) <{transpose_b = true}> : (tensor<128x256xbf16>, tensor<64x256xbf16>, tensor<64xbf16>) -> tensor<128x64xbf16>
  %5 = "ttir.relu"(%4) : (tensor<128x64xbf16>) -> tensor<128x64xbf16>
  %6 = "ttir.embedding_bag"(%indices_0, %tables_0_weight, %offsets_0) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<1460x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %7 = "ttir.embedding_bag"(%indices_1, %tables_1_weight, %offsets_1) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<583x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %8 = "ttir.embedding_bag"(%indices_2, %tables_2_weight, %offsets_2) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<100000x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %9 = "ttir.embedding_bag"(%indices_3, %tables_3_weight, %offsets_3) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<100000x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %10 = "ttir.embedding_bag"(%indices_4, %tables_4_weight, %offsets_4) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<305x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %11 = "ttir.embedding_bag"(%indices_5, %tables_5_weight, %offsets_5) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<24x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %12 = "ttir.embedding_bag"(%indices_6, %tables_6_weight, %offsets_6) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<12517x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %13 = "ttir.embedding_bag"(%indices_7, %tables_7_weight, %offsets_7) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<633x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %14 = "ttir.embedding_bag"(%indices_8, %tables_8_weight, %offsets_8) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<3x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %15 = "ttir.embedding_bag"(%indices_9, %tables_9_weight, %offsets_9) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<93145x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %16 = "ttir.embedding_bag"(%indices_10, %tables_10_weight, %offsets_10) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<5683x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %17 = "ttir.embedding_bag"(%indices_11, %tables_11_weight, %offsets_11) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<100000x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %18 = "ttir.embedding_bag"(%indices_12, %tables_12_weight, %offsets_12) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<3194x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %19 = "ttir.embedding_bag"(%indices_13, %tables_13_weight, %offsets_13) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<27x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %20 = "ttir.embedding_bag"(%indices_14, %tables_14_weight, %offsets_14) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<14992x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %21 = "ttir.embedding_bag"(%indices_15, %tables_15_weight, %offsets_15) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<100000x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %22 = "ttir.embedding_bag"(%indices_16, %tables_16_weight, %offsets_16) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<10x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %23 = "ttir.embedding_bag"(%indices_17, %tables_17_weight, %offsets_17) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<5652x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %24 = "ttir.embedding_bag"(%indices_18, %tables_18_weight, %offsets_18) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<2173x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %25 = "ttir.embedding_bag"(%indices_19, %tables_19_weight, %offsets_19) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<4x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %26 = "ttir.embedding_bag"(%indices_20, %tables_20_weight, %offsets_20) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<100000x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %27 = "ttir.embedding_bag"(%indices_21, %tables_21_weight, %offsets_21) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<18x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %28 = "ttir.embedding_bag"(%indices_22, %tables_22_weight, %offsets_22) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<15x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %29 = "ttir.embedding_bag"(%indices_23, %tables_23_weight, %offsets_23) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<100000x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %30 = "ttir.embedding_bag"(%indices_24, %tables_24_weight, %offsets_24) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<105x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %31 = "ttir.embedding_bag"(%indices_25, %tables_25_weight, %offsets_25) <{mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<512xi32>, tensor<100000x64xbf16>, tensor<128xi32>) -> tensor<128x64xbf16>
  %32 = "ttir.concat"(%5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31) <{dim = 1 : si32}> : (tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>) -> tensor<128x1728xbf16>
  %33 = "ttir.reshape"(%32) <{shape = [128 : i32, 27 : i32, 64 : i32]}> : (tensor<128x1728xbf16>) -> tensor<128x27x64xbf16>
  %34 = "ttir.matmul"(%33, %33) <{transpose_b = true}> : (tensor<128x27x64xbf16>, tensor<128x27x64xbf16>) -> tensor<128x27x27xbf16>
  %35 = "ttir.reshape"(%34) <{shape = [128 : i32, 729 : i32]}> : (tensor<128x27x27xbf16>) -> tensor<128x729xbf16>
  %36 = "ttir.concat"(%5, %35) <{dim = 1 : si32}> : (tensor<128x64xbf16>, tensor<128x729xbf16>) -> tensor<128x793xbf16>
  %37 = "ttir.linear"(%36, %top_0_weight, %top_0_bias) <{transpose_b = true}> : (tensor<128x793xbf16>, tensor<512x793xbf16>, tensor<512xbf16>) -> tensor<128x512xbf16>
  %38 = "ttir.relu"(%37) : (tensor<128x512xbf16>) -> tensor<128x512xbf16>
  %39 = "ttir.linear"(%38, %top_1_weight, %top_1_bias) <{transpose_b = true}> : (tensor<128x512xbf16>, tensor<256x512xbf16>, tensor<256xbf16>) -> tensor<128x256xbf16>
  %40 = "ttir.relu"(%39) : (tensor<128x256xbf16>) -> tensor<128x256xbf16>
  %41 = "ttir.linear"(%40, %top_2_weight, %top_2_bias) <{transpose_b = true}> : (tensor<128x256xbf16>, tensor<1x256xbf16>, tensor<1xbf16>) -> tensor<128x1xbf16>
  %42 = "ttir.sigmoid"(%41) : (tensor<128x1xbf16>) -> tensor<128x1xbf16>
  return %42 : tensor<128x1xbf16>
}
