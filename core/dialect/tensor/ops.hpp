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
struct Maximum;
struct Minimum;
struct Negate;
struct Absolute;
struct Exponential;
struct Logarithm;
struct SquareRoot;
struct HyperbolicTangent;
struct ErrorFunction;
struct Relu;
struct Gelu;
struct Sigmoid;
struct Softplus;
struct Softmax;
struct Compare;
struct Select;
struct Cast;
struct Broadcast;
struct Reshape;
struct Transpose;
struct Reduce;
struct MatrixMultiply;

template <class... Ops>
struct OperationList {};

using Operations =
    OperationList<Function, Return, Constant, Weight, Add, Subtract, Multiply, Divide, Maximum,
                  Minimum, Negate, Absolute, Exponential, Logarithm, SquareRoot,
                  HyperbolicTangent, ErrorFunction, Relu, Gelu, Sigmoid, Softplus, Softmax, Compare,
                  Select, Cast, Broadcast, Reshape, Transpose, Reduce, MatrixMultiply>;

/// The record of an op: `operation.is(definition<Add>())`.
template <class Op>
const choir::OperationDefinition& definition();

}  // namespace accy::tensor
