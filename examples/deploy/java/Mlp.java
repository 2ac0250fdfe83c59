// The chapter's net from Java (Debian: libjna-java). In the folder of the models:
//
//     java -cp /usr/share/java/jna.jar ../java/Mlp.java
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public final class Mlp {
    interface C extends Library {
        int mlp_create(PointerByReference model, Pointer options);
        int mlp_run(Pointer model, Pointer[] inputs, long[] inputSizes, Pointer[] outputs, long[] outputSizes);
        void mlp_destroy(Pointer model);
        String mlp_error(int code);
    }

    static final C NET = Native.load(Path.of("libmlp.so").toAbsolutePath().toString(), C.class);

    static void check(int code) {
        if (code != 0) throw new IllegalArgumentException(NET.mlp_error(code));
    }

    static Memory read(String path) throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(path));
        var memory = new Memory(bytes.length);
        memory.write(0, bytes, 0, bytes.length);
        return memory;
    }

    public static void main(String[] arguments) throws IOException {
        var model = new PointerByReference();
        check(NET.mlp_create(model, null));
        try (var data = read("mlp.input.f32"); var expected = read("mlp.output.f32"); var output = new Memory(8)) {
            long[] sizes = {1, data.size() / 4}; // one row
            check(NET.mlp_run(model.getValue(), new Pointer[] {data}, sizes, new Pointer[] {output}, null));
            float largest = 0;
            for (int at = 0; at < 8; at += 4) {
                largest = Math.max(largest, Math.abs(output.getFloat(at) - expected.getFloat(at))); // NaN stays NaN
            }
            System.out.printf("output %f %f, largest difference %.1e%n", output.getFloat(0), output.getFloat(4), largest);
            if (!(largest <= 1e-5f)) System.exit(1);
        } finally {
            NET.mlp_destroy(model.getValue());
        }
    }
}
