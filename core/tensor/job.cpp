#include "tensor/job.hpp"

#include "dialect/tensor/interfaces.hpp"

namespace accy::tensor {

namespace {

/// Primitive operations only: whatever has an expansion has been expanded.
bool legal(const choir::Operation& operation) {
  return semantic::is_tensor_operation(operation) &&
         operation.definition().interface<Expansion>() == nullptr;
}

}  // namespace

const choir::StageSpec& TensorStage::spec() {
  static const choir::StageSpec spec{
      .stage = "tensor",
      .version = 1,
      .legal = legal,
      .verify = contract::ContractStage::spec().verify};
  return spec;
}

}  // namespace accy::tensor
