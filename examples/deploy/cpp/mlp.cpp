// The chapter's net from C++17. In the folder of the models:
//
//     c++ -std=c++17 -O2 ../cpp/mlp.cpp -I. -L. -lmlp -Wl,-rpath,. -o mlp && ./mlp
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "mlp.h"

void check(std::int32_t code) {
    if (code != 0) throw std::runtime_error(mlp_error(code));
}

class Model {
public:
    Model() { mlp *made = nullptr; check(mlp_create(&made, nullptr)); model.reset(made); }

    std::vector<float> operator()(const std::vector<float> &data) const {
        const std::int64_t sizes[] = {1, static_cast<std::int64_t>(data.size())};
        const void *inputs[] = {data.data()};
        std::vector<float> output(2);
        void *outputs[] = {output.data()};
        check(mlp_run(model.get(), inputs, sizes, outputs, nullptr));
        return output;
    }

private:
    std::unique_ptr<mlp, void (*)(mlp *)> model{nullptr, mlp_destroy};
};

std::vector<float> read(const std::string &path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw std::runtime_error("there is no " + path);
    std::vector<float> values(static_cast<std::size_t>(file.tellg()) / sizeof(float));
    file.seekg(0).read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
    return values;
}

int main() try {
    const Model model;
    const auto output = model(read("mlp.input.f32")), expected = read("mlp.output.f32");
    float largest = 0;
    for (std::size_t i = 0; i < output.size(); i++) {
        const float difference = std::fabs(output[i] - expected.at(i));
        if (!(difference <= 1e-5f)) throw std::runtime_error("element " + std::to_string(i) + " differs");
        largest = std::fmax(largest, difference);
    }
    std::cout << "output " << output[0] << ' ' << output[1] << ", largest difference " << largest << '\n';
} catch (const std::exception &error) {
    std::cerr << "mlp: " << error.what() << '\n';
    return 1;
}
