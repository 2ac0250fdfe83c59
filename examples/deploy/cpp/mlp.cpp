// The chapter's net from C++17. In the folder of the models:
//
//     c++ -std=c++17 -O2 ../cpp/mlp.cpp -I. -L. -lmlp -Wl,-rpath,. -o mlp && ./mlp
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "mlp.h"

std::vector<float> read(const char *path) {
    std::vector<float> values(1024);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char *>(values.data()), sizeof(float) * 1024);
    values.resize(static_cast<std::size_t>(file.gcount()) / sizeof(float));
    return values;
}

void check(std::int32_t code) {
    if (code != 0) throw std::runtime_error(mlp_error(code));
}

int main() try {
    mlp *made = nullptr;
    check(mlp_create(&made, nullptr));
    const std::unique_ptr<mlp, decltype(&mlp_destroy)> model(made, mlp_destroy);

    const auto data = read("mlp.input.f32"), expected = read("mlp.output.f32");
    std::vector<float> output(2);
    const std::int64_t sizes[] = {1, static_cast<std::int64_t>(data.size())};  // one row
    const void *inputs[] = {data.data()};
    void *outputs[] = {output.data()};
    check(mlp_run(model.get(), inputs, sizes, outputs, nullptr));

    float largest = 0;
    for (std::size_t i = 0; i < output.size(); i++) {
        const float difference = std::fabs(output[i] - expected.at(i));
        if (!(difference <= 1e-5f)) throw std::runtime_error("the output differs");
        largest = std::fmax(largest, difference);
    }
    std::cout << "output " << output[0] << ' ' << output[1] << ", largest difference " << largest << '\n';
} catch (const std::exception &error) {
    std::cerr << "mlp: " << error.what() << '\n';
    return 1;
}
