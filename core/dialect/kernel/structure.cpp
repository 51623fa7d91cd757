// The function, its end and the barrier's rule: which operations need everyone to arrive.
#include <algorithm>
#include <array>

#include "dialect/kernel/checks.hpp"
#include "dialect/kernel/families.hpp"
#include "dialect/kernel/uniformity.hpp"

namespace accy::kernel {
namespace {

using choir::Attribute;
using choir::AttributeKind;
using choir::Operation;
using choir::Trait;

/// The x extent of a well-formed workgroup; 0 after a report.
std::int64_t check_workgroup(const Operation& operation, choir::Diagnostics& diagnostics) {
  const Attribute sizes = operation.attribute("workgroup");
  std::int64_t product = 1;
  bool legal = sizes.is(AttributeKind::array) && sizes.array().size() == 3;
  for (std::size_t axis = 0; legal && axis < 3; ++axis) {
    const Attribute size = sizes.array()[axis];
    legal = size.is(AttributeKind::integer) && size.integer() >= 1 &&
            size.integer() <= workgroup_invocations_maximum;
    if (legal) product *= size.integer();
  }
  if (legal && product <= workgroup_invocations_maximum) return sizes.array()[0].integer();
  diagnostics.report(operation, "attribute workgroup is three sizes from 1, at most " +
                                    std::to_string(workgroup_invocations_maximum) +
                                    " invocations together" +
                                    (legal ? " (got " + std::to_string(product) + ")" : ""));
  return 0;
}

void check_subgroup(const Operation& operation, std::int64_t row, choir::Diagnostics& diagnostics) {
  const auto size = integer_attribute(operation, "subgroup", 0, subgroup_size_maximum, diagnostics);
  if (!size || *size == 0) return;
  if ((*size & (*size - 1)) != 0)
    diagnostics.report(operation, "subgroup is a power of two (got " + std::to_string(*size) + ")");
  else if (row % *size != 0)
    diagnostics.report(operation, "workgroup[0] is a multiple of subgroup (got " +
                                      std::to_string(row) + " and " + std::to_string(*size) + ")");
}

void check_parameters(const Operation& operation, choir::Diagnostics& diagnostics) {
  const choir::Block& body = operation.body();
  for (std::size_t index = 0; index < body.argument_count(); ++index) {
    const choir::Type type = body.argument(index)->type();
    const auto scalar = as_scalar(type);
    const bool computable = is_computable(type) || scalar == ElementType::boolean;
    if (!as_buffer(type) && !computable)
      diagnostics.report(operation, "parameter " + std::to_string(index) + " has type " +
                                        describe(type) +
                                        ", expected a buffer, an integer, bool, f32 or f64");
  }
}

/// Walks the regions and reports what stands in control flow too divergent for it.
class ConvergenceCheck {
 public:
  ConvergenceCheck(const Operation& function, choir::Diagnostics& diagnostics)
      : analysis_(function), diagnostics_(diagnostics) {}

  void visit(const choir::Block& block, Uniformity control) {
    for (const Operation* operation : block.operations()) {
      check(*operation, control);
      Uniformity inner = control;
      const std::size_t conditions = operation->name() == op::for_op ? 3 : 1;
      if (operation->region_count() != 0)
        for (std::size_t index = 0;
             index < std::min<std::size_t>(conditions, operation->operand_count()); ++index)
          inner = std::max(inner, analysis_.of(operation->operand(index)));
      for (std::size_t region = 0; region < operation->region_count(); ++region)
        visit(operation->body(region), inner);
    }
  }

 private:
  void check(const Operation& operation, Uniformity control) {
    if (operation.name() == op::barrier && control != Uniformity::workgroup)
      diagnostics_.report(operation,
                          "stands in control flow that may differ between invocations of the "
                          "workgroup");
    const bool exchanges =
        operation.name() == op::shuffle_xor || operation.name() == op::subgroup_reduce;
    if (exchanges && control == Uniformity::divergent)
      diagnostics_.report(operation,
                          "stands in control flow that may differ between lanes of the subgroup");
  }

  UniformityAnalysis analysis_;
  choir::Diagnostics& diagnostics_;
};

void verify_function(const Operation& operation, choir::Diagnostics& diagnostics) {
  if (operation.symbol().empty()) diagnostics.report(operation, "has no name");
  const std::int64_t row = check_workgroup(operation, diagnostics);
  check_subgroup(operation, row, diagnostics);
  if (!operation.attribute("exact").is(AttributeKind::boolean))
    diagnostics.report(operation, "attribute exact is a boolean");
  check_parameters(operation, diagnostics);
  const Operation* last = operation.body().back();
  if (last == nullptr || last->name() != op::return_op)
    diagnostics.report(operation, "must end with kernel.return");
  ConvergenceCheck(operation, diagnostics).visit(operation.body(), Uniformity::workgroup);
}

void verify_return(const Operation& operation, choir::Diagnostics& diagnostics) {
  const Operation* parent = operation.parent();
  if (parent == nullptr || parent->name() != op::func)
    diagnostics.report(operation, "ends a kernel.func");
}

constexpr std::array<choir::OperationDefinition, 2> definitions{{
    {op::func, "a kernel program: what one invocation of a workgroup does",
     Trait::isolated | Trait::symbol, 0, 0, 1, nullptr, verify_function},
    {op::return_op, "ends the function", static_cast<std::uint32_t>(Trait::terminator), 0, 0, 0,
     nullptr, verify_return},
}};

}  // namespace

std::span<const choir::OperationDefinition> structure_operations() { return definitions; }

}  // namespace accy::kernel
