// Module: a top-level operation with the context that owns its types.
#pragma once

#include <memory>

#include "accy/export.hpp"
#include "choir/operation.hpp"

namespace accy::choir {

/// A whole program at one stage: `choir <stage> v1 {attributes}` and a list of operations.
/// Move-only; not safe to change from several threads.
class ACCY_EXPORT Module {
 public:
  Module(const Registry& registry, std::string_view stage);
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept;

  Context& context() const { return *context_; }
  Operation& operation() const { return *top_; }
  Block& body() const { return top_->body(); }
  std::string_view stage() const;
  void set_stage(std::string_view stage);
  /// The top-level operation of that symbol, or null.
  Operation* lookup(std::string_view symbol) const;
  /// An equal module in a context of its own; linear in its size.
  Module clone() const;
  /// The same, but that top-level operations of that name come without their regions' content.
  Module clone_outline(std::string_view name) const;

 private:
  std::unique_ptr<Context> context_;
  std::unique_ptr<Operation> top_;  // destroyed before the context
};

/// Counts the operation and all nested ones.
ACCY_EXPORT std::uint64_t count_operations(const Operation& operation);

/// The definition of the top-level operation; every registry contains it.
ACCY_EXPORT const OperationDefinition& module_definition();

}  // namespace accy::choir
