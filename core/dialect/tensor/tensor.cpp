#include "dialect/tensor/tensor.hpp"

#include "dialect/tensor/evaluation.hpp"
#include "dialect/tensor/placement.hpp"

namespace accy::tensor {

const char Attributes::key = 0;
const char Effort::key = 0;
const char Expansion::key = 0;
const char Placement::key = 0;
const char Evaluation::key = 0;

namespace {

template <class... Ops>
void add_all(choir::Registry& registry, OperationList<Ops...>) {
  (registry.add(definition<Ops>()), ...);
}

}  // namespace

void register_tensor_dialect(choir::Registry& registry) {
  registry.add(tensor_type_definition());
  add_all(registry, Operations{});
}

}  // namespace accy::tensor
