#include <accy/accy.hpp>
#include <cstdio>

int main() {
  accy::GraphBuilder graph;
  const accy::Tensor x = graph.input("x", accy::ElementType::f32, {accy::dimension("n"), 3});
  graph.output("y", accy::softmax(2 * x + 1));
  auto session = accy::Session::compile(graph.finish(), {.dimensions = {{"n", 2}}});
  if (!session) return std::fprintf(stderr, "%s\n", session.error().to_string().c_str()), 1;
  const auto input = accy::HostTensor::from_values(accy::ElementType::f32, {{2, 3}},
                                                   {{0, 0, 0, 0, 0.5, 1}});
  const auto outputs = session->run(std::vector{*input});
  if (!outputs) return std::fprintf(stderr, "%s\n", outputs.error().to_string().c_str()), 1;
  for (float p : (*outputs)[0].view<float>()) std::printf("%.4f\n", p);
}
