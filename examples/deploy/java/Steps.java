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
import java.nio.file.Files;
import java.nio.file.Path;

public final class Steps {
    interface C extends Library {
        int steps_create(PointerByReference model, Pointer options);
        int steps_sizes(long[] inputSizes, long[] outputSizes);
        int steps_run(Pointer model, Pointer[] inputs, long[] inputSizes, Pointer[] outputs, long[] outputSizes);
        void steps_destroy(Pointer model);
        String steps_error(int code);
    }

    static final C NET = Native.load(Path.of("libsteps.so").toAbsolutePath().toString(), C.class);

    static void check(int code) {
        if (code != 0) throw new IllegalArgumentException(NET.steps_error(code));
    }

    static Memory read(String path) throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(path));
        var memory = new Memory(bytes.length);
        memory.write(0, bytes, 0, bytes.length);
        return memory;
    }

    public static void main(String[] arguments) throws IOException {
        var model = new PointerByReference();
        check(NET.steps_create(model, null));
        try (var data = read("steps.input.f32"); var expected = read("steps.output.f32")) {
            long[] sizes = {data.size() / 4 / 16, 16}, room = new long[2];
            check(NET.steps_sizes(sizes, room)); // `state` is room[0] x room[1]; `steps` has no axes
            var state = new Memory(4 * room[0] * room[1]);
            var count = new LongByReference();
            Pointer[] outputs = {state, count.getPointer()};
            check(NET.steps_run(model.getValue(), new Pointer[] {data}, sizes, outputs, room));
            float largest = 0;
            for (long at = 0; at < expected.size(); at += 4) {
                largest = Math.max(largest, Math.abs(state.getFloat(at) - expected.getFloat(at))); // NaN stays NaN
            }
            System.out.printf("%d steps, largest difference %.1e%n", count.getValue(), largest);
            boolean right = state.size() == expected.size() && count.getValue() == read("steps.count.i64").getLong(0);
            if (!right || !(largest <= 1e-5f)) System.exit(1);
        } finally {
            NET.steps_destroy(model.getValue());
        }
    }
}
