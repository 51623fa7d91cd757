// Uses accy as a stranger would: runs a program, meets an error, builds a module of its own.
#include <accy/accy.hpp>
#include <choir/builder.hpp>
#include <choir/text.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "consumer: %s\n", what.c_str());
  ++failures;
}

void run_program(const std::string& device) {
  accy::SessionOptions options;
  options.device = device;
  auto session = accy::Session::open(PROGRAM, options);
  if (!session) return expect(false, session.error().to_string());
  const std::vector<std::int64_t> shape{2, 3};
  const std::vector<double> values{0, 1, 2, -3, 4.5, 100};
  const auto input = accy::HostTensor::from_values(accy::ElementType::f32, shape, values);
  if (!input) return expect(false, input.error().to_string());
  const auto outputs = session->run(std::vector{*input});
  if (!outputs) return expect(false, outputs.error().to_string());
  const std::vector<float> wanted{0, 3, 6, -9, 13.5, 300};
  const auto got = outputs->at(0).view<float>();
  expect(std::vector<float>(got.begin(), got.end()) == wanted, device + " gives other numbers");
}

void meet_an_error() {
  const auto session = accy::Session::open("no_such_program.choir");
  expect(!session, "a missing file opens");
  if (session) return;
  expect(session.error().code == accy::ErrorCode::io, "another error than io");
  expect(session.error().to_string().find("no_such_program.choir") != std::string::npos,
         "the error does not name the file");
}

void build_a_module() {
  namespace choir = accy::choir;
  const choir::OperationDefinition word{.name = "song.word", .summary = "one word"};
  choir::Registry registry;
  registry.add(word);
  choir::Module song(registry, "song");
  choir::Builder builder(song.body());
  builder.create("song.word", {}, {}, {{"text", song.context().string("la")}});
  const std::string text = choir::print(song);
  const auto again = choir::parse_and_verify(text, "song.choir", registry);
  expect(again && choir::print(*again) == text, "a module does not survive its text: " + text);
}

}  // namespace

int main() {
  run_program("reference");
  run_program("interpreter");
  meet_an_error();
  build_a_module();
  return failures == 0 ? 0 : 1;
}
