#include "preparation/pass_registry.hpp"

#include <string>

#include "contract/passes/canonicalize.hpp"
#include "contract/passes/fold_constants.hpp"
#include "contract/passes/resolve_numeric.hpp"
#include "contract/passes/shape_layout.hpp"
#include "dispatch/passes/form_regions.hpp"
#include "dispatch/passes/fuse_regions.hpp"
#include "dispatch/passes/plan_schedule.hpp"
#include "kernel/passes/deduplicate_kernels.hpp"
#include "kernel/passes/generate_kernels.hpp"
#include "kernel/passes/split_reductions.hpp"
#include "memory/passes/pack_arena.hpp"
#include "memory/passes/plan_bufferization.hpp"
#include "target/passes/emit_code.hpp"
#include "tensor/passes/lower_activations.hpp"

namespace accy::preparation {

namespace {

/// What must be set in the arguments for a pass to be made.
enum class Needs { nothing, profile, backend };

struct PassEntry {
  std::string_view name;
  Needs needs;
  choir::Pass (*make)(const PassArguments& arguments);
};

constexpr PassEntry entries[] = {
    {"accy-choir-bind-dimensions", Needs::nothing,
     [](const PassArguments& given) { return contract::bind_dimensions_pass(given.dimensions); }},
    {"accy-choir-resolve-numeric", Needs::nothing,
     [](const PassArguments&) { return contract::resolve_numeric_pass(); }},
    {"accy-choir-canonicalize", Needs::nothing,
     [](const PassArguments&) { return contract::canonicalize_pass(); }},
    {"accy-choir-shape-layout-propagate", Needs::nothing,
     [](const PassArguments&) { return contract::shape_layout_pass(); }},
    {"accy-choir-constant-fold", Needs::nothing,
     [](const PassArguments&) { return contract::fold_constants_pass({}); }},
    {"accy-choir-activation-lower", Needs::nothing,
     [](const PassArguments&) { return tensor::lower_activations_pass(); }},
    {"accy-choir-form-regions", Needs::nothing,
     [](const PassArguments&) { return dispatch::form_regions_pass(); }},
    {"accy-choir-fuse-regions", Needs::nothing,
     [](const PassArguments&) { return dispatch::fuse_regions_pass({}); }},
    {"accy-choir-plan-schedule", Needs::nothing,
     [](const PassArguments&) { return dispatch::plan_schedule_pass(); }},
    {"accy-choir-plan-bufferization", Needs::nothing,
     [](const PassArguments&) { return memory::plan_bufferization_pass(); }},
    {"accy-choir-pack-arena", Needs::nothing,
     [](const PassArguments&) { return memory::pack_arena_pass(); }},
    {"accy-choir-split-reductions", Needs::nothing,
     [](const PassArguments&) { return kernel::split_reductions_pass({}); }},
    {"accy-choir-generate-kernels", Needs::profile,
     [](const PassArguments& given) { return kernel::generate_kernels_pass(*given.profile); }},
    {"accy-choir-deduplicate-kernels", Needs::nothing,
     [](const PassArguments&) { return kernel::deduplicate_kernels_pass(); }},
    {"accy-choir-legalize", Needs::backend,
     [](const PassArguments& given) {
       return target::legalize_pass(*given.backend, given.profile->untraced());
     }},
    {"accy-choir-emit-code", Needs::backend,
     [](const PassArguments& given) {
       return target::emit_code_pass(*given.backend, given.profile->untraced());
     }},
};

}  // namespace

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const PassEntry& entry : entries) names.push_back(entry.name);
  return names;
}

Result<choir::Pass> make_pass(std::string_view name, const PassArguments& arguments) {
  std::string known;
  for (const PassEntry& entry : entries) {
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
    if (entry.name != name) continue;
    if (entry.needs != Needs::nothing && arguments.profile == nullptr)
      return fail(ErrorCode::invalid_input,
                  "pass '" + std::string(name) + "' needs a target profile");
    if (entry.needs == Needs::backend && arguments.backend == nullptr)
      return fail(ErrorCode::invalid_input, "pass '" + std::string(name) + "' needs a backend");
    return entry.make(arguments);
  }
  return fail(ErrorCode::not_found,
              "unknown pass '" + std::string(name) + "' (known: " + known + ")");
}

}  // namespace accy::preparation
