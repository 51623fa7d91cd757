// The list of tensor ops. A new op is one declaration in ops/ and one entry here.
#pragma once

#include "choir/definition.hpp"

namespace accy::tensor {

// Each is declared, with everything that it is, in ops/*.cpp.
struct Function;
struct Return;
struct Constant;
struct Weight;
struct Add;
struct Subtract;
struct Multiply;
struct Divide;
struct Remainder;
struct Maximum;
struct Minimum;
struct Negate;
struct Absolute;
struct Exponential;
struct Logarithm;
struct SquareRoot;
struct HyperbolicTangent;
struct ErrorFunction;
struct Sine;
struct Cosine;
struct Floor;
struct Ceiling;
struct Round;
struct Truncate;
struct And;
struct Or;
struct ExclusiveOr;
struct Not;
struct ShiftLeft;
struct ShiftRight;
struct Square;
struct Reciprocal;
struct ReciprocalSquareRoot;
struct Tangent;
struct Sign;
struct Clamp;
struct Modulo;
struct Power;
struct IsNan;
struct IsInfinite;
struct IsFinite;
struct Relu;
struct Relu6;
struct LeakyRelu;
struct ThresholdedRelu;
struct Elu;
struct Selu;
struct Celu;
struct HardSigmoid;
struct HardSwish;
struct HardTanh;
struct Gelu;
struct QuickGelu;
struct Sigmoid;
struct Silu;
struct LogSigmoid;
struct Softplus;
struct Mish;
struct Softsign;
struct Softmax;
struct LogSoftmax;
struct Compare;
struct Select;
struct Cast;
struct Broadcast;
struct Reshape;
struct Transpose;
struct Slice;
struct Reverse;
struct Diagonal;
struct Concat;
struct Pad;
struct Iota;
struct Gather;
struct GatherElements;
struct Reduce;
struct Mean;
struct Variance;
struct LogSumExp;
struct NormL1;
struct NormL2;
struct Any;
struct All;
struct ArgMax;
struct ArgMin;
struct LayerNorm;
struct RmsNorm;
struct BatchNorm;
struct GroupNorm;
struct InstanceNorm;
struct Roll;
struct Tile;
struct OneHot;
struct MseLoss;
struct MaeLoss;
struct HuberLoss;
struct BceWithLogitsLoss;
struct KlDivLoss;
struct HingeLoss;
struct NllLoss;
struct CrossEntropyLoss;
struct Einsum;
struct MatrixMultiply;

template <class... Ops>
struct OperationList {};

using Operations = OperationList<
    Function, Return, Constant, Weight, Add, Subtract, Multiply, Divide, Remainder, Maximum,
    Minimum, Negate, Absolute, Exponential, Logarithm, SquareRoot, HyperbolicTangent, ErrorFunction,
    Sine, Cosine, Floor, Ceiling, Round, Truncate, And, Or, ExclusiveOr, Not, ShiftLeft, ShiftRight,
    Square, Reciprocal, ReciprocalSquareRoot, Tangent, Sign, Clamp, Modulo, Power, IsNan,
    IsInfinite, IsFinite, Relu, Relu6, LeakyRelu, ThresholdedRelu, Elu, Selu, Celu, HardSigmoid,
    HardSwish, HardTanh, Gelu, QuickGelu, Sigmoid, Silu, LogSigmoid, Softplus, Mish, Softsign,
    Softmax, LogSoftmax, Compare, Select, Cast, Broadcast, Reshape, Transpose, Slice, Reverse,
    Diagonal, Concat, Pad, Iota, Gather, GatherElements, Reduce, Mean, Variance, LogSumExp, NormL1,
    NormL2, Any, All, ArgMax, ArgMin, LayerNorm, RmsNorm, BatchNorm, GroupNorm, InstanceNorm, Roll,
    Tile, OneHot, MseLoss, MaeLoss, HuberLoss, BceWithLogitsLoss, KlDivLoss, HingeLoss, NllLoss,
    CrossEntropyLoss, Einsum, MatrixMultiply>;

/// The record of an op: `operation.is(definition<Add>())`.
template <class Op>
const choir::OperationDefinition& definition();

}  // namespace accy::tensor
