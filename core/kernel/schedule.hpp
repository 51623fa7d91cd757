// Schedules: how one work item is spread over workgroups and invocations on one profile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/region.hpp"
#include "profile/profile.hpp"
#include "semantic/numeric.hpp"

namespace accy::kernel {

enum class ScheduleClass : std::uint8_t {
  flat,               ///< elements in order, `vector` of them an invocation
  workgroup_row,      ///< a workgroup reduces one row
  invocation_row,     ///< an invocation reduces one row
  invocation_column,  ///< an invocation reduces one output; neighbours read neighbours
  tiled,              ///< a workgroup multiplies tiles through workgroup memory
  direct,             ///< an invocation multiplies a register tile
};
std::string_view to_string(ScheduleClass schedule);

/// One decision; what does not apply to the class stays zero.
struct Schedule {
  ScheduleClass kind = ScheduleClass::flat;
  std::int64_t workgroup = 64;        ///< invocations
  std::int64_t vector = 1;            ///< elements of one access
  std::int64_t lanes_per_row = 1;     ///< invocations that share one row
  bool shuffle = false;               ///< lanes combine by subgroup shuffles, not workgroup memory
  std::int64_t tile_m = 0, tile_n = 0, tile_k = 0;          ///< elements of a workgroup's tile
  std::int64_t register_m = 0, register_n = 0;              ///< elements of an invocation's tile
  std::int64_t unroll_k = 1;          ///< products of one loop iteration of the direct class
  std::string_view reason = {};       ///< why this one; lives forever
};

/// "workgroup_row, 256 invocations, 256 a row": the schedule for people.
std::string describe(const Schedule& schedule);

/// What the model weighed, for people. Nothing is spelled out without one.
struct ScheduleNotes {
  struct Refusal {
    std::string choice;  ///< "tiled, tile 64x64"
    std::string reason;
  };
  std::string figures;  ///< the numbers that the choice rests on: "64 rows of 300 elements"
  std::vector<Refusal> refused;
};

/// Chooses by a closed-form model among the classes that dispatch found legal. Reads the profile
/// only through the trace, with or without notes alike. An item that no schedule fits is an error
/// naming the limit.
Result<Schedule> choose_schedule(const dispatch::RegionForm& form, const choir::Operation& item,
                                 const TracedProfile& profile, ScheduleNotes* notes = nullptr);

/// Whether the kernel of this item must be exact: no contraction, no reassociation.
bool must_be_exact(const dispatch::RegionForm& form, semantic::NumericMode mode);

/// Most workgroups along each axis, so that group counts fold into them.
struct Grid {
  std::array<std::int64_t, 3> size{1, 1, 1};
};
/// Folds a count of workgroups into the profile's grid limits: size[0] * size[1] * size[2] is at
/// least `groups`. An error when it cannot fit.
Result<Grid> fold_grid(std::int64_t groups, const TracedProfile& profile);

}  // namespace accy::kernel
