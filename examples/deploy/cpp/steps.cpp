// A net that repeats a layer until nothing changes, from C++17: any number of rows in, floats and an integer out.
//
//     c++ -std=c++17 -O2 ../cpp/steps.cpp -I. -L. -lsteps -Wl,-rpath,. -o steps && ./steps
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "steps.h"

void check(std::int32_t code) {
    if (code != 0) throw std::runtime_error(steps_error(code));
}

class Model {
public:
    Model() { steps *made = nullptr; check(steps_create(&made, nullptr)); model.reset(made); }

    std::pair<std::vector<float>, std::int64_t> operator()(const std::vector<float> &data) const {
        const std::int64_t sizes[] = {static_cast<std::int64_t>(data.size()) / 16, 16};
        std::int64_t room[2], count;
        check(steps_sizes(sizes, room));  // `state` is room[0] x room[1]; `steps` has no axes
        std::vector<float> state(static_cast<std::size_t>(room[0] * room[1]));
        const void *inputs[] = {data.data()};
        void *outputs[] = {state.data(), &count};
        check(steps_run(model.get(), inputs, sizes, outputs, room));
        return {std::move(state), count};
    }

private:
    std::unique_ptr<steps, void (*)(steps *)> model{nullptr, steps_destroy};
};

template <typename T>
std::vector<T> read(const std::string &path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error("there is no " + path);
    std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
    file.seekg(0).read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
}

int main() try {
    const Model model;
    const auto [state, count] = model(read<float>("steps.input.f32"));
    const auto expected = read<float>("steps.output.f32");
    float largest = 0;
    for (std::size_t i = 0; i < state.size(); i++) {
        const float difference = std::fabs(state[i] - expected.at(i));
        if (!(difference <= 1e-5f)) throw std::runtime_error("element " + std::to_string(i) + " differs");
        largest = std::fmax(largest, difference);
    }
    std::cout << count << " steps, largest difference " << largest << '\n';
    return count == read<std::int64_t>("steps.count.i64").at(0) ? 0 : 1;
} catch (const std::exception &error) {
    std::cerr << "steps: " << error.what() << '\n';
    return 1;
}
