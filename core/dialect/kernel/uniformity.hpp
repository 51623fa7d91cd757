// Which values are the same in all invocations: what decides whether a barrier or a subgroup
// operation is met by everyone.
#pragma once

#include <cstdint>

#include "choir/value_table.hpp"

namespace accy::kernel {

/// How widely a value is the same, from strong to weak.
enum class Uniformity : std::uint8_t { workgroup, subgroup, divergent };

/// Uniformity of every value of one kernel.func; conservative. Tolerates a function that fails
/// verification elsewhere.
class UniformityAnalysis {
 public:
  explicit UniformityAnalysis(const choir::Operation& function);
  Uniformity of(const choir::Value* value) const;

 private:
  void visit(const choir::Block& block, Uniformity control);
  void visit_loop(const choir::Operation& loop, Uniformity control);
  void visit_condition(const choir::Operation& condition, Uniformity control);
  Uniformity result_of(const choir::Operation& operation, Uniformity operands) const;
  Uniformity of_local_id(const choir::Operation& operation) const;
  bool splits_by_subgroup(const choir::Operation& operation) const;
  Uniformity of_operands(const choir::Operation& operation) const;
  /// Raises the value's entry; tells whether it changed.
  bool raise(const choir::Value* value, Uniformity level);

  const choir::Operation& function_;
  choir::ValueTable<Uniformity> levels_;  // absent: uniform
};

}  // namespace accy::kernel
