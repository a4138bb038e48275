from torch_mlir import ir
class QuantizedType(ir.Type):
    is_signed: bool
    storage_type_integral_width: int
    storage_type_min: int
    storage_type_max: int
    expressed_type: ir.Type
class UniformQuantizedType(QuantizedType):
    scale: float
    zero_point: int
class UniformQuantizedPerAxisType(QuantizedType):
    scales: list[float]
    zero_points: list[int]
    quantized_dimension: int
