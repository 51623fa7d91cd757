// Sizes: products, sums and paddings that do not fit are errors, never wrapped.
#include <gmock/gmock.h>

#include "support/checked.hpp"

namespace accy {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();

TEST(Checked, ProductsAndSums) {
  EXPECT_EQ(*checked_multiply(1 << 20, 1 << 20), std::int64_t{1} << 40);
  EXPECT_EQ(checked_multiply(top, 2).error().message,
            "size product overflows 64 bits (9223372036854775807 * 2)");
  EXPECT_EQ(*checked_add(top - 1, 1), top);
  EXPECT_EQ(checked_add(top, 1).error().message,
            "size sum overflows 64 bits (9223372036854775807 + 1)");
  EXPECT_EQ(*checked_align(257, 256), 512);
  EXPECT_FALSE(checked_align(top, 256));
}

TEST(Checked, Shapes) {
  const auto message = [](std::vector<std::int64_t> shape) {
    const auto count = element_count(shape);
    return count ? std::to_string(*count) : count.error().message;
  };
  EXPECT_EQ(message({}), "1");
  EXPECT_EQ(message({3, 4}), "12");
  // No element at all, however large the other dimensions.
  EXPECT_EQ(message({limits::dimension, limits::dimension, 0}), "0");
  EXPECT_THAT(message({-1}), HasSubstr("dimension (-1) is outside 0 to"));
  EXPECT_THAT(message({limits::dimension + 1}), HasSubstr("is outside 0 to 1099511627776"));
  EXPECT_THAT(message({limits::dimension, 1 << 20}), HasSubstr("exceeds the limit"));
  EXPECT_FALSE(byte_count(std::vector<std::int64_t>{limits::dimension}, top));
}

}  // namespace
}  // namespace accy
