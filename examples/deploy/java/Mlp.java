// The chapter's net from Java (Debian: libjna-java). In the folder of the models:
//
//     java -cp /usr/share/java/jna.jar ../java/Mlp.java
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

public final class Mlp implements AutoCloseable {
    interface C extends Library {
        C LIBRARY = Native.load(Path.of("libmlp.so").toAbsolutePath().toString(), C.class);

        int mlp_create(PointerByReference model, Pointer options);
        int mlp_run(Pointer model, Pointer[] inputs, long[] inputSizes, Pointer[] outputs, long[] outputSizes);
        void mlp_destroy(Pointer model);
        String mlp_error(int code);
    }

    private final Pointer model;

    Mlp() {
        var made = new PointerByReference();
        check(C.LIBRARY.mlp_create(made, null));
        model = made.getValue();
    }

    float[] run(float[] data) {
        try (var input = new Memory(4L * data.length); var output = new Memory(8)) {
            input.write(0, data, 0, data.length);
            long[] sizes = {1, data.length};
            check(C.LIBRARY.mlp_run(model, new Pointer[] {input}, sizes, new Pointer[] {output}, new long[] {1, 2}));
            return output.getFloatArray(0, 2);
        }
    }

    @Override
    public void close() {
        C.LIBRARY.mlp_destroy(model);
    }

    private static void check(int code) {
        if (code != 0) throw new IllegalArgumentException(C.LIBRARY.mlp_error(code));
    }

    static float[] read(String path) throws IOException {
        var bytes = ByteBuffer.wrap(Files.readAllBytes(Path.of(path))).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
        var values = new float[bytes.remaining()];
        bytes.get(values);
        return values;
    }

    public static void main(String[] arguments) throws IOException {
        try (var model = new Mlp()) {
            float[] output = model.run(read("mlp.input.f32")), expected = read("mlp.output.f32");
            float difference = Math.max(Math.abs(output[0] - expected[0]), Math.abs(output[1] - expected[1]));
            System.out.printf("output %f %f, largest difference %.1e%n", output[0], output[1], difference);
            if (!(difference <= 1e-5f)) System.exit(1);
        }
    }
}
