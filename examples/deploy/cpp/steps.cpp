// A net that repeats a layer until nothing changes, from C++17: any number of rows in, floats and an integer out.
//
//     c++ -std=c++17 -O2 ../cpp/steps.cpp -I. -L. -lsteps -Wl,-rpath,. -o steps && ./steps
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "steps.h"

template <typename T>
std::vector<T> read(const char *path) {
    std::vector<T> values(1024);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char *>(values.data()), sizeof(T) * 1024);
    values.resize(static_cast<std::size_t>(file.gcount()) / sizeof(T));
    return values;
}

void check(std::int32_t code) {
    if (code != 0) throw std::runtime_error(steps_error(code));
}

int main() try {
    steps *made = nullptr;
    check(steps_create(&made, nullptr));
    const std::unique_ptr<steps, decltype(&steps_destroy)> model(made, steps_destroy);

    const auto data = read<float>("steps.input.f32"), expected = read<float>("steps.output.f32");
    const std::int64_t sizes[] = {static_cast<std::int64_t>(data.size()) / 16, 16};
    std::int64_t room[2], count;
    check(steps_sizes(sizes, room));  // `state` is room[0] x room[1]; `steps` has no axes
    std::vector<float> state(static_cast<std::size_t>(room[0] * room[1]));
    const void *inputs[] = {data.data()};
    void *outputs[] = {state.data(), &count};
    check(steps_run(model.get(), inputs, sizes, outputs, room));

    float largest = 0;
    for (std::size_t i = 0; i < state.size(); i++) {
        const float difference = std::fabs(state[i] - expected.at(i));
        if (!(difference <= 1e-5f)) throw std::runtime_error("the state differs");
        largest = std::fmax(largest, difference);
    }
    std::cout << count << " steps, largest difference " << largest << '\n';
    return count == read<std::int64_t>("steps.count.i64").at(0) ? 0 : 1;
} catch (const std::exception &error) {
    std::cerr << "steps: " << error.what() << '\n';
    return 1;
}
