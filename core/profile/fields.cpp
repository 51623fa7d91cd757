#include "profile/fields.hpp"

#include <algorithm>

namespace accy::profile {
namespace {

using Profile = TargetProfile;

constexpr std::array<std::string_view, 3> binding_classes{"address", "texel", "storage"};

constexpr TextRule identifier{.minimum_bytes = 1, .maximum_bytes = 64, .identifier = true};
constexpr TextRule optional_identifier{.maximum_bytes = 64, .identifier = true};
constexpr TextRule free_text{};
constexpr IntegerRule any_count{};
constexpr IntegerRule at_least_one{.minimum = 1};
constexpr IntegerRule unsigned_32bit{.minimum = 1, .maximum = 0xffffffff};
constexpr IntegerRule subgroup_size{.minimum = 1, .maximum = 1024, .power_of_two = true};

constexpr std::array table{
    Field{"target", TextField{&Profile::target, identifier}},
    Field{"name", TextField{&Profile::name, identifier}},
    Field{"vendor", TextField{&Profile::vendor, free_text}},
    Field{"driver", TextField{&Profile::driver, free_text}},
    Field{"subgroup_size_minimum", IntegerField{&Profile::subgroup_size_minimum, subgroup_size}},
    Field{"subgroup_size_maximum", IntegerField{&Profile::subgroup_size_maximum, subgroup_size}},
    Field{"workgroup_size_maximum", AxesField{&Profile::workgroup_size_maximum, unsigned_32bit}},
    Field{"workgroup_invocations_maximum",
          IntegerField{&Profile::workgroup_invocations_maximum, unsigned_32bit}},
    Field{"grid_size_maximum", AxesField{&Profile::grid_size_maximum, unsigned_32bit}},
    Field{"shared_memory_bytes",
          IntegerField{&Profile::shared_memory_bytes, {.maximum = std::int64_t{1} << 30}}},
    Field{"registers_per_invocation",
          IntegerField{&Profile::registers_per_invocation, {.maximum = 65536}}},
    Field{"buffer_bytes_maximum", IntegerField{&Profile::buffer_bytes_maximum, at_least_one}},
    Field{"allocation_bytes_maximum",
          IntegerField{&Profile::allocation_bytes_maximum, at_least_one}},
    Field{"buffer_alignment",
          IntegerField{&Profile::buffer_alignment,
                       {.minimum = 1, .maximum = std::int64_t{1} << 20, .power_of_two = true}}},
    Field{"loop_iterations_maximum", IntegerField{&Profile::loop_iterations_maximum, any_count}},
    Field{"storage_8bit", FlagField{&Profile::storage_8bit}},
    Field{"storage_16bit", FlagField{&Profile::storage_16bit}},
    Field{"arithmetic_f16", FlagField{&Profile::arithmetic_f16}},
    Field{"arithmetic_bf16", FlagField{&Profile::arithmetic_bf16}},
    Field{"arithmetic_f64", FlagField{&Profile::arithmetic_f64}},
    Field{"arithmetic_i8", FlagField{&Profile::arithmetic_i8}},
    Field{"arithmetic_i16", FlagField{&Profile::arithmetic_i16}},
    Field{"arithmetic_i64", FlagField{&Profile::arithmetic_i64}},
    Field{"subgroup_shuffle", FlagField{&Profile::subgroup_shuffle}},
    Field{"subgroup_arithmetic", FlagField{&Profile::subgroup_arithmetic}},
    Field{"subgroup_size_control", FlagField{&Profile::subgroup_size_control}},
    Field{"rounding_rte_f32", FlagField{&Profile::rounding_rte_f32}},
    Field{"rounding_rte_f16", FlagField{&Profile::rounding_rte_f16}},
    Field{"signed_zero_inf_nan_f32", FlagField{&Profile::signed_zero_inf_nan_f32}},
    Field{"subnormals_kept_f32", FlagField{&Profile::subnormals_kept_f32}},
    Field{"asynchronous_copy", FlagField{&Profile::asynchronous_copy}},
    Field{"forward_progress", FlagField{&Profile::forward_progress}},
    Field{"binding_classes",
          ListField{
              &Profile::binding_classes, {.minimum_bytes = 1, .choices = binding_classes}, 1}},
    Field{"matrix_units", ListField{&Profile::matrix_units, identifier}},
    Field{"code_version", IntegerField{&Profile::code_version, {.maximum = 1000}}},
    Field{"architecture", TextField{&Profile::architecture, optional_identifier}},
    Field{"quirks", QuirksField{&Profile::quirks}},
};

}  // namespace

std::span<const Field> fields() { return table; }

const Field* find_field(const TargetProfile& profile, const void* member) {
  for (const Field& field : table) {
    const void* address =
        std::visit([&](const auto& kind) -> const void* { return &(profile.*kind.member); },
                   field.kind);
    if (address == member) return &field;
  }
  return nullptr;
}

const Field* find_field(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Field::name);
  return found == table.end() ? nullptr : found;
}

}  // namespace accy::profile
