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

/// Adds a refusal; its reason is spelled out only when somebody wants it.
template <class Reason>
void refuse(ScheduleNotes* notes, std::string_view choice, Reason reason) {
  if (notes != nullptr) notes->refused.push_back({std::string(choice), reason()});
}

Schedule flat_schedule(const RegionForm& form, const choir::Operation& item,
                       const TracedProfile& profile, ScheduleNotes* notes) {
  Schedule schedule{.kind = ScheduleClass::flat, .reason = "elements do not depend on each other"};
  schedule.vector = vector_width(form, item);
  schedule.workgroup = std::min<std::int64_t>(128, power_of_two_below(workgroup_limit(profile)));
  if (notes != nullptr) notes->figures = std::to_string(product(form.domain)) + " elements";
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

/// What the choice for rows depends on, but for what only some of the choices read.
struct RowFigures {
  std::int64_t limit = 0;       ///< invocations of a workgroup, a power of two
  std::int64_t columns = 0;     ///< elements that one result reduces
  std::int64_t rows = 0;        ///< results
  std::int64_t loop_limit = 0;  ///< iterations that a loop may take; 0: any number
};

/// One invocation a row when rows are short, or when rows are columns of the data and plenty: then
/// neighbouring invocations read neighbouring elements.
bool suits_one_invocation(const RegionForm& form, const RowFigures& figures, ScheduleNotes* notes) {
  const bool rows = form.kind == ItemKind::row_pipeline;
  const ScheduleClass kind =
      rows ? ScheduleClass::invocation_row : ScheduleClass::invocation_column;
  if (figures.loop_limit != 0 && figures.columns * row_passes(form) > figures.loop_limit) {
    refuse(notes, to_string(kind), [&] {
      return std::to_string(figures.columns * row_passes(form)) +
             " iterations of one invocation (loop_iterations_maximum is " +
             std::to_string(figures.loop_limit) + ")";
    });
    return false;
  }
  if (figures.columns <= 16 || (!rows && figures.rows >= 64)) return true;
  refuse(notes, to_string(kind), [&] {
    return std::to_string(figures.columns) + " elements are many for one invocation (at most 16" +
           (rows ? ")" : ", or at least 64 results)");
  });
  return false;
}

/// Whether a subgroup's lanes combine a row by shuffles; more lanes pay once each has many
/// elements.
bool suits_shuffles(const RegionForm& form, const RowFigures& figures, const TracedProfile& profile,
                    ScheduleNotes* notes) {
  const std::int64_t subgroup = profile.read(&TargetProfile::subgroup_size_maximum);
  const auto no = [&](std::string_view reason) {
    refuse(notes, "workgroup_row, shuffles", [&] { return std::string(reason); });
    return false;
  };
  if (!accumulates_in_32_bits(form)) return no("the reduction does not accumulate in 32 bits");
  if (!profile.read(&TargetProfile::subgroup_shuffle)) return no("subgroup_shuffle is false");
  if (!profile.read(&TargetProfile::subgroup_size_control))
    return no("subgroup_size_control is false");
  if (!std::has_single_bit(static_cast<std::uint64_t>(subgroup)) || subgroup <= 1 ||
      subgroup > figures.limit)
    return no("subgroup_size_maximum is no power of two that a workgroup holds");
  const std::int64_t trips = ceil_divide(figures.columns, subgroup) * row_passes(form);
  if (figures.columns <= subgroup * 128 && (figures.loop_limit == 0 || trips <= figures.loop_limit))
    return true;
  refuse(notes, "workgroup_row, shuffles", [&] {
    return std::to_string(figures.columns) + " elements are many for the " +
           std::to_string(subgroup) + " lanes of a subgroup (" + std::to_string(trips) +
           " iterations)";
  });
  return false;
}

Result<Schedule> fixed_row_schedule(std::int64_t limit) {
  if (limit < fixed_order_lanes)
    return fail(ErrorCode::unsupported,
                "a reduction of fixed order needs " + std::to_string(fixed_order_lanes) +
                    " invocations, workgroup_invocations_maximum is " + std::to_string(limit));
  return Schedule{.kind = ScheduleClass::workgroup_row,
                  .workgroup = fixed_order_lanes,
                  .lanes_per_row = fixed_order_lanes,
                  .reason = "the fixed order is a tree over 32 lanes, whatever the device"};
}

Result<Schedule> row_schedule(const RegionForm& form, const TracedProfile& profile,
                              ScheduleNotes* notes) {
  RowFigures figures{.limit = power_of_two_below(workgroup_limit(profile)),
                     .columns = reduced_count(form)};
  figures.rows = product(form.domain) / std::max<std::int64_t>(figures.columns, 1);
  figures.loop_limit = profile.read(&TargetProfile::loop_iterations_maximum);
  if (notes != nullptr)
    notes->figures = std::to_string(figures.rows) + " results of " +
                     std::to_string(figures.columns) + " elements";
  if (fixed_order(form)) return fixed_row_schedule(figures.limit);
  Schedule schedule{.kind = ScheduleClass::workgroup_row};
  if (suits_one_invocation(form, figures, notes)) {
    schedule.kind = form.kind == ItemKind::row_pipeline ? ScheduleClass::invocation_row
                                                        : ScheduleClass::invocation_column;
    schedule.reason = "short or plentiful reductions fill the device with one invocation each";
    schedule.workgroup = std::min<std::int64_t>(64, figures.limit);
    return schedule;
  }
  if (suits_shuffles(form, figures, profile, notes)) {
    schedule.lanes_per_row = schedule.workgroup =
        profile.read(&TargetProfile::subgroup_size_maximum);
    schedule.shuffle = true;
    schedule.reason = "a subgroup combines a row by shuffles, without a barrier";
    return schedule;
  }
  std::int64_t lanes = std::min<std::int64_t>(figures.limit, 256);
  while (figures.loop_limit != 0 && lanes * 2 <= figures.limit &&
         ceil_divide(figures.columns, lanes) * row_passes(form) > figures.loop_limit)
    lanes *= 2;
  schedule.lanes_per_row = schedule.workgroup = lanes;
  schedule.reason = "long rows need many invocations, which combine in workgroup memory";
  return schedule;
}

/// The tile shapes, largest first; a tile must not be mostly outside the product.
struct TileShape {
  std::int64_t tile, depth, registers;
  std::int64_t invocations() const { return (tile / registers) * (tile / registers); }
  std::int64_t bytes() const { return 2 * tile * depth * 8; }
};
constexpr TileShape tile_shapes[] = {{64, 16, 4}, {32, 16, 4}};

/// What decides whether a product is multiplied by tiles.
struct TileFigures {
  std::int64_t m = 0, n = 0;
  std::int64_t limit = 0;     ///< invocations of a workgroup
  std::int64_t shared = 0;    ///< bytes of workgroup memory
  std::int64_t subgroup = 0;  ///< narrow ones mean that a barrier costs more than loads it saves
  bool wide() const { return subgroup >= 16; }
};

std::string tile_refusal(const TileShape& shape, const TileFigures& figures) {
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  if (!figures.wide())
    return "subgroups are narrow (subgroup_size_maximum is " + text(figures.subgroup) +
           ", 16 pay): barriers would cost more than tiles save";
  if (figures.m < shape.tile || figures.n < shape.tile)
    return "the product is " + text(figures.m) + " x " + text(figures.n);
  if (shape.invocations() > figures.limit)
    return text(shape.invocations()) + " invocations (the profile allows " + text(figures.limit) +
           ")";
  return text(shape.bytes()) + " bytes of workgroup memory (shared_memory_bytes is " +
         text(figures.shared) + ")";
}

bool suits_tiles(const TileShape& shape, const TileFigures& figures, ScheduleNotes* notes) {
  if (figures.wide() && figures.m >= shape.tile && figures.n >= shape.tile &&
      shape.invocations() <= figures.limit && shape.bytes() <= figures.shared)
    return true;
  refuse(notes, "tiled", [&] { return tile_refusal(shape, figures); });
  if (notes != nullptr)
    notes->refused.back().choice +=
        ", tile " + std::to_string(shape.tile) + "x" + std::to_string(shape.tile);
  return false;
}

Schedule direct_schedule(const RegionForm& form, const TileFigures& figures,
                         const TracedProfile& profile) {
  Schedule schedule{.kind = ScheduleClass::direct};
  schedule.reason = figures.wide()
                        ? "the product, or what a workgroup may hold, is smaller than a tile"
                        : "subgroups are narrow: barriers would cost more than tiles save";
  schedule.workgroup = std::min<std::int64_t>(64, figures.limit);
  // As many products an iteration as keep the loop within the device's limit, and at least four,
  // which hides the loop's own cost.
  const std::int64_t depth = tensor::TensorType::from(form.anchors.front()->operand(0)->type())
                                 ->static_shape()
                                 .back();
  const std::int64_t loop_limit = profile.read(&TargetProfile::loop_iterations_maximum);
  schedule.unroll_k = depth >= 16 ? 4 : 1;
  if (loop_limit != 0)
    schedule.unroll_k = std::max(schedule.unroll_k, ceil_divide(depth, loop_limit));
  schedule.register_m = figures.m >= 4 ? 4 : 1;
  schedule.register_n = figures.n >= 4 ? 4 : 1;
  return schedule;
}

Schedule contraction_schedule(const RegionForm& form, const TracedProfile& profile,
                              ScheduleNotes* notes) {
  const std::size_t rank = form.domain.size();
  const TileFigures figures{.m = form.domain[rank - 2],
                            .n = form.domain[rank - 1],
                            .limit = power_of_two_below(workgroup_limit(profile)),
                            .shared = profile.read(&TargetProfile::shared_memory_bytes),
                            .subgroup = profile.read(&TargetProfile::subgroup_size_maximum)};
  if (notes != nullptr)
    notes->figures =
        "a product of " + std::to_string(figures.m) + " x " + std::to_string(figures.n);
  for (const TileShape& shape : tile_shapes) {
    if (!suits_tiles(shape, figures, notes)) continue;
    return {.kind = ScheduleClass::tiled,
            .workgroup = shape.invocations(),
            .tile_m = shape.tile,
            .tile_n = shape.tile,
            .tile_k = shape.depth,
            .register_m = shape.registers,
            .register_n = shape.registers,
            .reason = "the product fills tiles, and the profile holds a tile's workgroup"};
  }
  return direct_schedule(form, figures, profile);
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
                                 const TracedProfile& profile, ScheduleNotes* notes) {
  switch (form.kind) {
    case ItemKind::elementwise:
    case ItemKind::copy: return flat_schedule(form, item, profile, notes);
    case ItemKind::row_pipeline:
    case ItemKind::reduction: return row_schedule(form, profile, notes);
    case ItemKind::contraction: return contraction_schedule(form, profile, notes);
  }
  return fail(ErrorCode::internal, "unknown item kind");
}

}  // namespace

Result<Schedule> choose_schedule(const RegionForm& form, const choir::Operation& item,
                                 const TracedProfile& profile, ScheduleNotes* notes) {
  ACCY_TRY_ASSIGN(const Schedule schedule, choose_for_kind(form, item, profile, notes));
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
