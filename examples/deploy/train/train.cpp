// Training in C++17, with a checkpoint in the middle. In the folder of the model:
//
//     c++ -std=c++17 -O2 ../train.cpp -I. -L. -lstep -Wl,-rpath,. -o train && ./train
//
// Or by CMake: cmake -S .. -B build -DCMAKE_PREFIX_PATH=. && cmake --build build && build/train
#include <cstdint>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "step.hpp"

constexpr int rows = 32, pixels = 64, batches = 8, steps = 100, middle = 50;

std::vector<float> read(const char *path, std::size_t count) {
    std::vector<float> values(count);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(count * sizeof(float))))
        throw std::runtime_error(std::string(path) + " is not there, or too short");
    return values;
}

int main() try {
    const auto x = read("step.x.f32", batches * rows * pixels), y = read("step.y.f32", batches * rows);
    const auto expected = read("step.losses.f32", steps);

    step_cpp::model model;
    const auto train = [&](int first, int last) {
        for (int k = first; k < last; k++) {
            float loss = 0;
            model.run(&x[static_cast<std::size_t>(k % batches * rows * pixels)],
                      &y[static_cast<std::size_t>(k % batches * rows)], &loss);
            if (loss != expected[static_cast<std::size_t>(k)]) throw std::runtime_error("a loss is not Python's");
            if (k % 10 == 0) std::cout << "step " << k << ": loss " << loss << '\n';
        }
    };
    train(0, middle);
    model.save("checkpoint.safetensors");
    train(middle, steps);

    model = step_cpp::model();  // as another process would
    model.load("checkpoint.safetensors");
    train(middle, steps);
    std::cout << model.value<std::int64_t>("step") << " steps at " << model.value<double>("learning_rate")
              << ", every loss as in Python, bit for bit\n";
    model.set_value("learning_rate", 0.001);  // from here on
} catch (const std::exception &error) {
    std::cerr << "train: " << error.what() << '\n';
    return 1;
}
