// BackendPreparedModule: the finished result of one compile, seven sealed revisions.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "choir/job.hpp"
#include "preparation/stage.hpp"
#include "target/job.hpp"

namespace accy::preparation {

/// One edge of the product graph: a product and the one it was made from.
struct ProductEdge {
  choir::ProductKey product;
  choir::ProductKey source;
};

/// Seven revisions, each of its stage, through its gates, made from the one before. Immutable and
/// cheap to copy; holds no compiler state.
class BackendPreparedModule {
 public:
  using Revisions = std::array<choir::RevisionRef, stage_count>;

  /// Checks every revision. Errors: a wrong stage, a failed gate, an unbound predecessor.
  static Result<BackendPreparedModule> create(Revisions revisions);
  /// The revisions behind a target job, found through their dependencies.
  static Result<BackendPreparedModule> from(const target::TargetJob& job);

  /// Another owner of the same revisions, checked again.
  Result<BackendPreparedModule> retain() const { return create(revisions_); }

  template <Stage S>
  const choir::Revision& stage() const {
    return *revisions_[static_cast<std::size_t>(S)];
  }
  const choir::RevisionRef& stage(Stage stage) const {
    return revisions_[static_cast<std::size_t>(stage)];
  }
  std::array<choir::ProductKey, stage_count> product_keys() const;
  std::vector<ProductEdge> product_graph() const;

 private:
  explicit BackendPreparedModule(Revisions revisions) : revisions_(std::move(revisions)) {}
  Revisions revisions_;
};

}  // namespace accy::preparation
