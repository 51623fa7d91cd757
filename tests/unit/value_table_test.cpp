// What the framework keeps for each value, and the memory of operations.
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "choir/builder.hpp"
#include "choir/module.hpp"
#include "choir/text.hpp"
#include "choir/value_table.hpp"
#include "dialect/dialects.hpp"
#include "dialect/tensor/type.hpp"

namespace accy::test {
namespace {

using choir::Module;
using choir::Value;

/// A function of so many arguments.
Module module_of(std::size_t arguments) {
  Module module(registry(), "semantic");
  choir::Builder builder(module.body());
  choir::Operation* function =
      builder.create("tensor.func", {}, {}, {{"symbol", module.context().symbol("main")}});
  const std::array<std::int64_t, 1> shape{4};
  const choir::Type type =
      tensor::TensorType::get(module.context(), ElementType::f32, shape).type();
  for (std::size_t index = 0; index < arguments; ++index) function->body().add_argument(type);
  return module;
}

const Value* argument(const Module& module, std::size_t index) {
  return module.body().front()->body().argument(index);
}

TEST(ValueTable, HoldsAnEntryForEachValue) {
  const Module module = module_of(1000);
  choir::ValueTable<std::size_t> table;
  for (std::size_t index = 0; index < 1000; index += 3) table[argument(module, index)] = index;
  for (std::size_t index = 0; index < 1000; ++index) {
    const std::size_t* entry = table.find(argument(module, index));
    ASSERT_EQ(entry != nullptr, index % 3 == 0) << index;
    EXPECT_EQ(entry == nullptr ? index : *entry, index);
  }
  table.erase(argument(module, 999));
  EXPECT_FALSE(table.contains(argument(module, 999)));
  EXPECT_TRUE(table.contains(argument(module, 996)));
}

TEST(ValueTable, DoesNotTakeAnotherContextsValueForItsOwn) {
  const Module module = module_of(2);
  const Module other = module_of(2);
  ASSERT_EQ(argument(module, 1)->id(), argument(other, 1)->id());
  choir::ValueTable<int> table;
  table[argument(module, 1)] = 7;
  EXPECT_FALSE(table.contains(argument(other, 1)));
  EXPECT_TRUE(table.contains(argument(module, 1)));
}

TEST(ValueMap, LeavesAValueWithoutCopyAsItIs) {
  const Module module = module_of(3);
  choir::ValueMap map;
  Value* const first = module.body().front()->body().argument(0);
  Value* const second = module.body().front()->body().argument(1);
  map[first] = second;
  EXPECT_EQ(map.copy_of(first), second);
  EXPECT_EQ(map.at(first), second);
  EXPECT_EQ(map.copy_of(second), second);
  EXPECT_EQ(map.copy_of(nullptr), nullptr);
}

TEST(Pool, GivesWhatWasReleasedToTheNextOfItsSize) {
  choir::Pool pool;
  void* const small = pool.allocate(40);
  void* const large = pool.allocate(100'000);
  ASSERT_NE(small, large);
  std::memset(large, 1, 100'000);
  pool.release(large, 100'000);
  std::vector<std::byte*> places;
  for (int count = 0; count < 5000; ++count) {
    places.push_back(static_cast<std::byte*>(pool.allocate(40)));
    std::memset(places.back(), count, 40);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(places.back()) % __STDCPP_DEFAULT_NEW_ALIGNMENT__,
              0U);
  }
  for (int count = 0; count < 5000; ++count)
    for (int byte = 0; byte < 40; ++byte)
      ASSERT_EQ(places[count][byte], static_cast<std::byte>(count)) << count;
  for (std::byte* place : places) pool.release(place, 40);
  pool.release(small, 40);
}

TEST(Operations, KeepTheirOrderWhenTheyMove) {
  auto module = choir::parse(R"(choir semantic v1
tensor.func @main {inputs = ["x"], outputs = ["y"]} (%x: tensor<f32, [4]>) {
  %a = tensor.neg %x
  %b = tensor.abs %x
  %c = tensor.exp %x
  tensor.return %a
}
)",
                             "moves.choir", registry());
  ASSERT_TRUE(module.has_value()) << module.error().to_string();
  choir::Block& body = module->body().front()->body();
  const auto names = [&] {
    std::string list;
    std::string backwards;
    for (choir::Operation* at = body.front(); at != nullptr; at = at->next())
      list += std::string(at->name().substr(7)) + " ";
    for (choir::Operation* at = body.back(); at != nullptr; at = at->previous())
      backwards = std::string(at->name().substr(7)) + " " + backwards;
    EXPECT_EQ(list, backwards);
    return list;
  };
  choir::Operation* const negation = body.front();
  choir::Operation* const absolute = negation->next();
  choir::Operation* const exponential = absolute->next();
  exponential->move_before(negation);
  EXPECT_EQ(names(), "exp neg abs return ");
  exponential->move_before(exponential);
  EXPECT_EQ(names(), "exp neg abs return ");
  exponential->move_to_end(body);
  EXPECT_EQ(names(), "neg abs return exp ");
  absolute->erase();
  EXPECT_EQ(names(), "neg return exp ");
  exponential->erase();
  EXPECT_EQ(names(), "neg return ");
  EXPECT_EQ(body.size(), 2U);
}

TEST(Types, SayWhetherTheyAreWellFormed) {
  Module module(registry(), "semantic");
  choir::Context& context = module.context();
  EXPECT_FALSE(choir::Type().is_well_formed());
  EXPECT_TRUE(context.type("f32").is_well_formed());
  EXPECT_FALSE(context.type("f33").is_well_formed());
  EXPECT_FALSE(context.type("f32", std::array{context.integer(1)}).is_well_formed());
  EXPECT_FALSE(context.type("tensor").is_well_formed());
  const std::array parameters{context.word("f32"), context.array(std::array{context.integer(4)})};
  EXPECT_TRUE(context.type("tensor", parameters).is_well_formed());
}

TEST(ElementTypes, AreReadFromTheirWholeNameAlone) {
  EXPECT_EQ(element_type_from("bool"), ElementType::boolean);
  EXPECT_EQ(element_type_from("bf16"), ElementType::bf16);
  for (const std::string_view name :
       {std::string_view(), std::string_view("f3"), std::string_view("f322"),
        std::string_view("boole"), std::string_view("\0i8", 3), std::string_view("i8\0", 3)})
    EXPECT_FALSE(element_type_from(name).has_value()) << name;
}

}  // namespace
}  // namespace accy::test
