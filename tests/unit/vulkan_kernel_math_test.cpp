// Elementary functions of kernel programs on a Vulkan device: their errors against f64, and their
// special arguments.
#include <array>

#include "support/vulkan_kernel_fixture.hpp"

namespace accy::vulkan {
namespace {

struct Function {
  const char* name;
  double (*reference)(double);
  double low;
  double high;
  double exact_relative;  ///< error relative to the result, in an exact function
  double fast_relative;
  double fast_absolute;   ///< accepted besides, near zeros of the function
};

class VulkanMathTest : public VulkanKernelTest {
 protected:
  void check(const Function& function, bool exact) {
    std::vector<float> x;
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> inside(function.low, function.high);
    for (int index = 0; index < 200000; ++index) x.push_back(static_cast<float>(inside(random)));
    for (const float value :
         {1e-3F, 1e-6F, 1e-20F, 1e-38F, 1.0F, 0.999999F, 1.000001F, 0.625F})
      for (const float sign : {1.0F, -1.0F})
        if (sign * value >= function.low) x.push_back(sign * value);
    const auto found = apply<float>("kernel." + std::string(function.name) + " %x", exact, x);
    ASSERT_EQ(found.size(), x.size());
    const double bound = exact ? function.exact_relative : function.fast_relative;
    double worst = 0;
    float worst_input = 0;
    for (std::size_t index = 0; index < x.size(); ++index) {
      const double wanted = function.reference(x[index]);
      const double error = std::fabs(static_cast<double>(found[index]) - wanted);
      const double floor = (exact ? 0 : function.fast_absolute) +
                           std::numeric_limits<float>::denorm_min();
      const double relative = error <= floor ? 0 : error / std::fabs(wanted);
      if (!(relative <= worst)) {
        worst = relative;
        worst_input = x[index];
      }
    }
    EXPECT_LE(worst, bound) << function.name << (exact ? " exact" : " fast") << " at "
                            << worst_input;
    RecordProperty(std::string(function.name) + (exact ? "_exact" : "_fast"),
                   std::to_string(worst));
  }
};

TEST_F(VulkanMathTest, StaysWithinItsErrors) {
  const std::array functions{
      Function{"exp", std::exp, -87, 88.7, 1.2e-7, 5e-6, 0},
      Function{"exp", std::exp, -1, 1, 1.2e-7, 5e-7, 0},
      Function{"log", std::log, 2e-38, 1e38, 1.2e-7, 5e-7, 4.8e-7},
      Function{"log", std::log, 0.5, 2, 2e-7, 1e-6, 4.8e-7},
      Function{"tanh", std::tanh, -10, 10, 3e-7, 1e-6, 0},
      Function{"tanh", std::tanh, -0.7, 0.7, 3e-7, 1e-6, 0},
      Function{"erf", std::erf, -5, 5, 3e-7, 1e-6, 0},
      Function{"erf", std::erf, -1.1, 1.1, 3e-7, 1e-6, 0},
      Function{"sqrt", std::sqrt, 0, 1e38, 6e-8, 3e-7, 0},
  };
  for (const Function& function : functions)
    for (const bool exact : {true, false}) check(function, exact);
}

TEST_F(VulkanMathTest, KnowsTheSpecialArguments) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{0.0F, -0.0F,  infinity, -infinity, nan,
                             1.0F, 200.0F, -200.0F,  1e-42F};
  const auto wanted = [&](const char* name, float value) {
    const std::string text = name;
    const double wide = value;
    return static_cast<float>(text == "exp"    ? std::exp(wide)
                              : text == "log"  ? std::log(wide)
                              : text == "tanh" ? std::tanh(wide)
                                               : std::erf(wide));
  };
  for (const char* name : {"exp", "log", "tanh", "erf"})
    for (const bool exact : {true, false}) {
      const auto found = apply<float>("kernel." + std::string(name) + " %x", exact, x);
      ASSERT_EQ(found.size(), x.size());
      for (std::size_t index = 0; index < x.size(); ++index) {
        // A device may take a subnormal for zero where nothing demands that it is kept.
        if (!exact && std::fpclassify(x[index]) == FP_SUBNORMAL) continue;
        const float value = wanted(name, x[index]);
        const bool near = found[index] == value ||
                          std::fabs(found[index] - value) <= 1e-6F * std::fabs(value);
        EXPECT_TRUE(near || same(found[index], value))
            << name << (exact ? " exact" : " fast") << " of " << x[index] << ": " << found[index]
            << ", expected " << value;
      }
    }
}

TEST_F(VulkanMathTest, FastDivisionAndFma) {
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> values(-100, 100);
  for (int index = 0; index < 10000; ++index) {
    a.push_back(values(random));
    b.push_back(values(random));
    c.push_back(values(random));
  }
  const auto quotient = apply<float>("kernel.div %x, %y", false, a, b);
  const auto fused = apply<float>("kernel.fma %x, %y, %z", false, a, b, c);
  ASSERT_EQ(quotient.size(), a.size());
  ASSERT_EQ(fused.size(), a.size());
  for (std::size_t index = 0; index < a.size(); ++index) {
    EXPECT_NEAR(quotient[index], a[index] / b[index], std::fabs(a[index] / b[index]) * 3e-7F);
    const float once = std::fma(a[index], b[index], c[index]);
    const float twice = a[index] * b[index] + c[index];
    EXPECT_TRUE(fused[index] == once || fused[index] == twice);
  }
}

}  // namespace
}  // namespace accy::vulkan
