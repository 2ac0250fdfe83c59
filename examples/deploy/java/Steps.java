// A net that repeats a layer until nothing changes, from Java: any number of rows in, floats and an integer out.
//
//     java -cp /usr/share/java/jna.jar ../java/Steps.java
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

public final class Steps implements AutoCloseable {
    interface C extends Library {
        C LIBRARY = Native.load(Path.of("libsteps.so").toAbsolutePath().toString(), C.class);

        int steps_create(PointerByReference model, Pointer options);
        int steps_sizes(long[] inputSizes, long[] outputSizes);
        int steps_run(Pointer model, Pointer[] inputs, long[] inputSizes, Pointer[] outputs, long[] outputSizes);
        void steps_destroy(Pointer model);
        String steps_error(int code);
    }

    record Result(float[] state, long steps) {}

    private final Pointer model;

    Steps() {
        var made = new PointerByReference();
        check(C.LIBRARY.steps_create(made, null));
        model = made.getValue();
    }

    Result run(float[] data) {
        long[] sizes = {data.length / 16, 16}, room = new long[2];
        check(C.LIBRARY.steps_sizes(sizes, room)); // `state` is room[0] x room[1]; `steps` has no axes
        int elements = (int) (room[0] * room[1]);
        try (var input = new Memory(4L * data.length); var state = new Memory(4L * elements)) {
            input.write(0, data, 0, data.length);
            var count = new LongByReference();
            Pointer[] outputs = {state, count.getPointer()};
            check(C.LIBRARY.steps_run(model, new Pointer[] {input}, sizes, outputs, room));
            return new Result(state.getFloatArray(0, elements), count.getValue());
        }
    }

    @Override
    public void close() {
        C.LIBRARY.steps_destroy(model);
    }

    private static void check(int code) {
        if (code != 0) throw new IllegalArgumentException(C.LIBRARY.steps_error(code));
    }

    static ByteBuffer read(String path) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(Path.of(path))).order(ByteOrder.LITTLE_ENDIAN);
    }

    static float[] floats(ByteBuffer bytes) {
        var values = new float[bytes.remaining() / 4];
        bytes.asFloatBuffer().get(values);
        return values;
    }

    public static void main(String[] arguments) throws IOException {
        try (var model = new Steps()) {
            var result = model.run(floats(read("steps.input.f32")));
            float[] expected = floats(read("steps.output.f32"));
            float largest = 0;
            for (int i = 0; i < expected.length; i++) {
                largest = Math.max(largest, Math.abs(result.state[i] - expected[i])); // NaN stays NaN
            }
            System.out.printf("%d steps, largest difference %.1e%n", result.steps, largest);
            boolean same = result.state.length == expected.length && largest <= 1e-5f;
            if (!same || result.steps != read("steps.count.i64").getLong()) System.exit(1);
        }
    }
}
