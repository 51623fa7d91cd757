// Generators: kernel programs and launches for one work item under one schedule.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/generate/region_emitter.hpp"
#include "kernel/schedule.hpp"

namespace accy::kernel {

/// What a generator works from. `item` is a host.item_into.
struct GenerateRequest {
  const choir::Operation& item;
  const dispatch::RegionForm& form;
  Schedule schedule;
  bool exact = false;       ///< the numeric contract forbids contraction and reassociation
  bool round_each = false;  ///< narrow floats are rounded after every operation
  choir::Block& module_body;  ///< where kernel.func operations go
  const TracedProfile& profile;
};

/// One launch; its buffers are the item's operands in order.
struct GeneratedLaunch {
  choir::Operation* function = nullptr;
  Grid grid;
};

/// An item with an output of no elements has no launch.
using Generated = std::vector<GeneratedLaunch>;

Result<Generated> generate_flat(const GenerateRequest& request);
Result<Generated> generate_rows(const GenerateRequest& request);
Result<Generated> generate_contraction(const GenerateRequest& request);

/// The frame that every generator writes into: parameters for the item's blocks, the workgroup's
/// number in the folded grid, and an emitter for the body.
class KernelFrame {
 public:
  /// `groups` workgroups are wanted; the grid is folded into the profile's limits. `subgroup` is
  /// the required subgroup size or 0.
  static Result<KernelFrame> create(const GenerateRequest& request, std::int64_t groups,
                                    std::int64_t subgroup);

  KernelBuilder& builder() { return *builder_; }
  RegionEmitter& emitter() { return *emitter_; }
  ElementType index_type() const { return index_type_; }
  /// The workgroup's number, below the count of groups where `body` runs it.
  choir::Value* group() const { return group_; }
  /// Runs `body` where the workgroup has work: everywhere unless the folded grid overhangs.
  void in_group(const std::function<void()>& body);
  /// The local id along x in the index type.
  choir::Value* local();
  choir::Value* index_constant(std::int64_t value) { return emitter_->index_constant(value); }
  /// Runs `body` for index = lower, lower + step, ... while it is below `upper`, carrying values;
  /// the index is of the index type. `maximum_trips` bounds the trips whatever `lower` is.
  std::vector<choir::Value*> loop(choir::Value* lower, std::int64_t upper, std::int64_t step,
                                  const std::vector<choir::Value*>& init,
                                  const KernelBuilder::LoopBody& body,
                                  std::int64_t maximum_trips);
  /// Buffer of the item's n-th output.
  choir::Value* output(std::size_t index) const { return outputs_[index]; }
  std::size_t output_count() const { return outputs_.size(); }
  /// The value that the body yields for that output.
  const choir::Value& yielded(std::size_t index) const;
  /// Stores a computed value of that output at a linear element index.
  void store_output(std::size_t index, choir::Value* value, choir::Value* at);
  GeneratedLaunch finish();

 private:
  KernelFrame() = default;
  const choir::Operation* yield_ = nullptr;
  std::unique_ptr<KernelBuilder> builder_;
  std::unique_ptr<RegionEmitter> emitter_;
  std::vector<choir::Value*> outputs_;
  ElementType index_type_ = ElementType::i32;
  choir::Value* group_ = nullptr;
  std::int64_t groups_ = 0;
  Grid grid_;
};

}  // namespace accy::kernel
