#include "kernel/schedule.hpp"

#include <algorithm>
#include <bit>

#include "dialect/host/host.hpp"
#include "dialect/tensor/type.hpp"
#include "support/checked.hpp"

namespace accy::kernel {

using dispatch::RegionForm;
using host::ItemKind;

namespace {

constexpr std::array<std::string_view, 6> names{"flat",   "workgroup_row", "invocation_row",
                                                "invocation_column", "tiled", "direct"};

std::int64_t power_of_two_below(std::int64_t value) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))));
}

std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t result = 1;
  for (std::int64_t size : sizes) result *= size;
  return result;
}

/// Invocations of a workgroup along x that the profile allows.
std::int64_t workgroup_limit(const TracedProfile& profile) {
  return std::min(profile.read(&TargetProfile::workgroup_invocations_maximum),
                  profile.read(&TargetProfile::workgroup_size_maximum)[0]);
}

/// Widest access that divides the element count and fits 16 bytes for every block of the item.
std::int64_t vector_width(const RegionForm& form, const choir::Operation& item) {
  const std::int64_t count = product(form.domain);
  std::int64_t bytes = 1;
  for (const choir::Value* operand : item.operands())
    bytes = std::max(bytes, size_bytes(host::BlockType::from(operand->type())->element()));
  for (std::int64_t width : {std::int64_t{4}, std::int64_t{2}})
    if (count % width == 0 && width * bytes <= 16) return width;
  return 1;
}

Schedule flat_schedule(const RegionForm& form, const choir::Operation& item,
                       const TracedProfile& profile) {
  Schedule schedule{.kind = ScheduleClass::flat, .reason = "elements do not depend on each other"};
  schedule.vector = vector_width(form, item);
  schedule.workgroup = std::min<std::int64_t>(128, power_of_two_below(workgroup_limit(profile)));
  return schedule;
}

bool fixed_order(const RegionForm& form) {
  return std::any_of(form.anchors.begin(), form.anchors.end(), [](const choir::Operation* anchor) {
    return tensor::reduction_order(*anchor) == semantic::Order::fixed;
  });
}

/// Elements that one reduction runs over.
std::int64_t reduced_count(const RegionForm& form) {
  std::int64_t count = 1;
  for (choir::Attribute axis : form.anchors.front()->attribute("axes").array())
    count *= form.domain[static_cast<std::size_t>(axis.integer())];
  return count;
}

/// The virtual lanes of the fixed order (docs/numerics.md): one invocation each.
constexpr std::int64_t fixed_order_lanes = 32;

/// Whether every reduction accumulates in a type that subgroups shuffle.
bool accumulates_in_32_bits(const RegionForm& form) {
  return std::all_of(form.anchors.begin(), form.anchors.end(), [](const choir::Operation* anchor) {
    const auto type = tensor::TensorType::from(anchor->result()->type());
    return bit_width(tensor::accumulate_type(*anchor, type->element())) == 32;
  });
}

/// Passes over a row: one for each reduction and one for the outputs.
std::int64_t row_passes(const RegionForm& form) {
  return static_cast<std::int64_t>(form.anchors.size()) + 1;
}

Result<Schedule> row_schedule(const RegionForm& form, const TracedProfile& profile) {
  const std::int64_t limit = power_of_two_below(workgroup_limit(profile));
  const std::int64_t columns = reduced_count(form);
  const std::int64_t loop_limit = profile.read(&TargetProfile::loop_iterations_maximum);
  Schedule schedule{.kind = ScheduleClass::workgroup_row};
  if (fixed_order(form)) {
    if (limit < fixed_order_lanes)
      return fail(ErrorCode::unsupported,
                  "a reduction of fixed order needs " + std::to_string(fixed_order_lanes) +
                      " invocations, workgroup_invocations_maximum is " + std::to_string(limit));
    schedule.reason = "the fixed order is a tree over 32 lanes, whatever the device";
    schedule.lanes_per_row = schedule.workgroup = fixed_order_lanes;
    return schedule;
  }
  const bool rows = form.kind == ItemKind::row_pipeline;
  const std::int64_t row_count = product(form.domain) / std::max<std::int64_t>(columns, 1);
  const bool few_trips = loop_limit == 0 || columns * row_passes(form) <= loop_limit;
  // One invocation a row when rows are short, or when rows are columns of the data and plenty: then
  // neighbouring invocations read neighbouring elements.
  if (few_trips && (rows ? columns <= 16 : row_count >= 64 || columns <= 16)) {
    schedule.kind = rows ? ScheduleClass::invocation_row : ScheduleClass::invocation_column;
    schedule.reason = "short or plentiful reductions fill the device with one invocation each";
    schedule.workgroup = std::min<std::int64_t>(64, limit);
    return schedule;
  }
  const std::int64_t subgroup = profile.read(&TargetProfile::subgroup_size_maximum);
  const bool shuffles = accumulates_in_32_bits(form) &&
                        profile.read(&TargetProfile::subgroup_shuffle) &&
                        profile.read(&TargetProfile::subgroup_size_control) &&
                        std::has_single_bit(static_cast<std::uint64_t>(subgroup)) &&
                        subgroup > 1 && subgroup <= limit;
  // A subgroup combines without a barrier; more lanes pay once each has many elements.
  if (shuffles && columns <= subgroup * 128 &&
      (loop_limit == 0 || ceil_divide(columns, subgroup) * row_passes(form) <= loop_limit)) {
    schedule.lanes_per_row = schedule.workgroup = subgroup;
    schedule.shuffle = true;
    schedule.reason = "a subgroup combines a row by shuffles, without a barrier";
    return schedule;
  }
  std::int64_t lanes = std::min<std::int64_t>(limit, 256);
  while (loop_limit != 0 && lanes * 2 <= limit &&
         ceil_divide(columns, lanes) * row_passes(form) > loop_limit)
    lanes *= 2;
  schedule.lanes_per_row = schedule.workgroup = lanes;
  schedule.reason = "long rows need many invocations, which combine in workgroup memory";
  return schedule;
}

/// The tile shapes, largest first; a tile must not be mostly outside the product.
struct TileShape {
  std::int64_t tile, depth, registers;
};
constexpr TileShape tile_shapes[] = {{64, 16, 4}, {32, 16, 4}};

Schedule contraction_schedule(const RegionForm& form, const TracedProfile& profile) {
  const std::size_t rank = form.domain.size();
  const std::int64_t m = form.domain[rank - 2];
  const std::int64_t n = form.domain[rank - 1];
  const std::int64_t limit = power_of_two_below(workgroup_limit(profile));
  const std::int64_t shared = profile.read(&TargetProfile::shared_memory_bytes);
  // Narrow subgroups mean that a barrier costs more than the loads it saves.
  const bool wide = profile.read(&TargetProfile::subgroup_size_maximum) >= 16;
  for (const TileShape& shape : tile_shapes) {
    const std::int64_t invocations =
        (shape.tile / shape.registers) * (shape.tile / shape.registers);
    const std::int64_t bytes = 2 * shape.tile * shape.depth * 8;
    if (!wide || m < shape.tile || n < shape.tile || invocations > limit || bytes > shared)
      continue;
    return {.kind = ScheduleClass::tiled,
            .workgroup = invocations,
            .tile_m = shape.tile,
            .tile_n = shape.tile,
            .tile_k = shape.depth,
            .register_m = shape.registers,
            .register_n = shape.registers,
            .reason = "the product fills tiles, and the profile holds a tile's workgroup"};
  }
  Schedule schedule{.kind = ScheduleClass::direct};
  schedule.reason = wide ? "the product, or what a workgroup may hold, is smaller than a tile"
                         : "subgroups are narrow: barriers would cost more than tiles save";
  schedule.workgroup = std::min<std::int64_t>(64, limit);
  // As many products an iteration as keep the loop within the device's limit, and at least four,
  // which hides the loop's own cost.
  const std::int64_t depth = tensor::TensorType::from(form.anchors.front()->operand(0)->type())
                                 ->static_shape()
                                 .back();
  const std::int64_t loop_limit = profile.read(&TargetProfile::loop_iterations_maximum);
  schedule.unroll_k = depth >= 16 ? 4 : 1;
  if (loop_limit != 0)
    schedule.unroll_k = std::max(schedule.unroll_k, ceil_divide(depth, loop_limit));
  schedule.register_m = m >= 4 ? 4 : 1;
  schedule.register_n = n >= 4 ? 4 : 1;
  return schedule;
}

}  // namespace

std::string_view to_string(ScheduleClass schedule) {
  return names[static_cast<std::size_t>(schedule)];
}

std::string describe(const Schedule& schedule) {
  std::string text = std::string(to_string(schedule.kind)) + ", " +
                     std::to_string(schedule.workgroup) + " invocations";
  const auto add = [&](std::int64_t value, std::int64_t usual, const char* what) {
    if (value != usual) text += ", " + std::to_string(value) + what;
  };
  add(schedule.vector, 1, " elements an access");
  add(schedule.lanes_per_row, 1, " a row");
  if (schedule.shuffle) text += ", shuffles";
  if (schedule.tile_m != 0)
    text += ", tile " + std::to_string(schedule.tile_m) + "x" + std::to_string(schedule.tile_n) +
            "x" + std::to_string(schedule.tile_k);
  if (schedule.register_m != 0)
    text += ", " + std::to_string(schedule.register_m) + "x" + std::to_string(schedule.register_n) +
            " results an invocation";
  return text;
}

bool must_be_exact(const RegionForm& form, semantic::NumericMode mode) {
  return mode == semantic::NumericMode::strict || fixed_order(form);
}

namespace {

Result<Schedule> choose_for_kind(const RegionForm& form, const choir::Operation& item,
                                 const TracedProfile& profile) {
  switch (form.kind) {
    case ItemKind::elementwise:
    case ItemKind::copy: return flat_schedule(form, item, profile);
    case ItemKind::row_pipeline:
    case ItemKind::reduction: return row_schedule(form, profile);
    case ItemKind::contraction: return contraction_schedule(form, profile);
  }
  return fail(ErrorCode::internal, "unknown item kind");
}

}  // namespace

Result<Schedule> choose_schedule(const RegionForm& form, const choir::Operation& item,
                                 const TracedProfile& profile) {
  ACCY_TRY_ASSIGN(const Schedule schedule, choose_for_kind(form, item, profile));
  const auto legal = host::strings(item, "schedules");
  if (std::find(legal.begin(), legal.end(), to_string(schedule.kind)) == legal.end())
    return fail(ErrorCode::internal, "schedule class " + std::string(to_string(schedule.kind)) +
                                         " is not among the item's legal ones");
  return schedule;
}

Result<Grid> fold_grid(std::int64_t groups, const TracedProfile& profile) {
  const std::array<std::int64_t, 3> limit = profile.read(&TargetProfile::grid_size_maximum);
  Grid grid;
  std::int64_t rest = groups;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // All axes but the last that is needed are used in full, so that few groups have no work.
    grid.size[axis] = std::min(rest, limit[axis]);
    rest = ceil_divide(rest, std::max<std::int64_t>(grid.size[axis], 1));
  }
  constexpr std::int64_t index_limit = (std::int64_t{1} << 31) - 1;
  if (rest > 1 || groups > index_limit)
    return fail(ErrorCode::unsupported,
                "a launch of " + std::to_string(groups) +
                    " workgroups exceeds the profile's grid_size_maximum (" +
                    std::to_string(limit[0]) + " x " + std::to_string(limit[1]) + " x " +
                    std::to_string(limit[2]) + ")");
  return grid;
}

}  // namespace accy::kernel
