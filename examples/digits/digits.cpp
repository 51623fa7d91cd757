// Classifies the handwritten test digits on the best device present and draws three of them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "accy/accy.hpp"

namespace {

using accy::HostTensor;
using Clock = std::chrono::steady_clock;

constexpr int image_side = 8;   // pixels
constexpr int class_count = 10;

/// The digit with the highest probability for each image.
std::vector<int> answers(const HostTensor& probabilities) {
  const auto values = probabilities.view<float>();
  std::vector<int> result;
  for (std::size_t row = 0; row + class_count <= values.size(); row += class_count) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row);
    result.push_back(static_cast<int>(std::max_element(begin, begin + class_count) - begin));
  }
  return result;
}

void draw(const HostTensor& images, const HostTensor& labels, const std::vector<int>& found,
          std::span<const std::size_t> chosen) {
  constexpr const char* shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  const auto pixels = images.view<float>();
  for (int row = 0; row < image_side; ++row) {
    for (std::size_t image : chosen) {
      for (int column = 0; column < image_side; ++column) {
        const std::size_t pixel = image * image_side * image_side +
                                  static_cast<std::size_t>(row * image_side + column);
        std::printf("%s", shades[std::clamp(static_cast<int>(pixels[pixel] / 4), 0, 4)]);
      }
      std::printf("    ");
    }
    std::printf("\n");
  }
  for (std::size_t image : chosen)
    std::printf("%-20s", ("answer " + std::to_string(found[image]) + ", is " +
                          std::to_string(labels.view<std::int32_t>()[image]))
                             .c_str());
  std::printf("\n\n");
}

accy::Status classify(const std::string& folder, const std::string& device) {
  ACCY_TRY_ASSIGN(const HostTensor images, accy::read_npy(folder + "/images.npy"));
  ACCY_TRY_ASSIGN(const HostTensor labels, accy::read_npy(folder + "/labels.npy"));
  const std::int64_t count = images.shape.at(0);
  accy::SessionOptions options{.device = device, .dimensions = {{"n", count}}};
  ACCY_TRY_ASSIGN(accy::Session session,
                  accy::Session::open(folder + "/digits.choir", options));
  const std::vector<HostTensor> inputs{images};
  // The first run may compile inside the driver; the second is the one to time.
  ACCY_TRY_ASSIGN(std::vector<HostTensor> outputs, session.run(inputs));
  const auto start = Clock::now();
  ACCY_TRY_ASSIGN(outputs, session.run(inputs));
  const double elapsed_us =
      std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  ACCY_TRY_ASSIGN(const auto checks, session.check(inputs, outputs));

  const std::vector<int> found = answers(outputs[0]);
  std::int64_t correct = 0;
  for (std::int64_t image = 0; image < count; ++image) {
    const auto index = static_cast<std::size_t>(image);
    correct += found[index] == labels.view<std::int32_t>()[index] ? 1 : 0;
  }
  const std::size_t chosen[] = {0, found.size() / 2, found.size() - 1};
  draw(images, labels, found, chosen);
  std::printf("accuracy %.1f %%\n",
              100.0 * static_cast<double>(correct) / static_cast<double>(count));
  std::printf("device %s (%s)\n", session.device().c_str(), session.device_description().c_str());
  if (!session.device_reason().empty())
    std::printf("chosen because: %s\n", session.device_reason().c_str());
  std::printf("agreement with the evaluator: %s (error at most %.3f of its bound, %.1f ulp)\n",
              checks[0].pass ? "yes" : ("NO, " + checks[0].message).c_str(),
              checks[0].max_error_over_bound, checks[0].max_ulp);
  std::printf("kernels launched %zu for %lld images\n", session.launches().size(),
              static_cast<long long>(count));
  std::printf("time per image %.2f us\n", elapsed_us / static_cast<double>(count));
  return {};
}

}  // namespace

/// Arguments: the folder of the example, and optionally a device name.
int main(int argument_count, char** arguments) {
  const std::string folder = argument_count > 1 ? arguments[1] : "examples/digits";
  const std::string device = argument_count > 2 ? arguments[2] : "auto";
  const accy::Status status = classify(folder, device);
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  return 1;
}
