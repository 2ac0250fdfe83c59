//! A net that repeats a layer until nothing changes, from Rust: any number of rows in, floats and an integer out.
//!
//!     rustc --edition 2021 -O ../rust/steps.rs -L. -C link-arg=-Wl,-rpath,. && ./steps

use std::ffi::{c_void, CStr};
use std::{error::Error, fs, os::raw::c_char, ptr};

#[link(name = "steps")]
extern "C" {
    fn steps_create(model: *mut *mut c_void, options: *const c_void) -> i32;
    fn steps_sizes(input_sizes: *const i64, output_sizes: *mut i64) -> i32;
    fn steps_run(
        model: *mut c_void,
        inputs: *const *const c_void,
        input_sizes: *const i64,
        outputs: *const *mut c_void,
        output_sizes: *const i64,
    ) -> i32;
    fn steps_destroy(model: *mut c_void);
    fn steps_error(code: i32) -> *const c_char;
}

struct Steps(*mut c_void);

impl Steps {
    fn new() -> Result<Steps, String> {
        let mut model = Steps(ptr::null_mut());
        check(unsafe { steps_create(&mut model.0, ptr::null()) })?;
        Ok(model)
    }

    fn run(&self, data: &[f32]) -> Result<(Vec<f32>, i64), String> {
        let (sizes, mut room) = ([data.len() as i64 / 16, 16], [0; 2]);
        check(unsafe { steps_sizes(sizes.as_ptr(), room.as_mut_ptr()) })?; // of `state`; `steps` has no axes
        let (mut state, mut count) = (vec![0.0; (room[0] * room[1]) as usize], 0);
        let inputs = [data.as_ptr().cast()];
        let outputs = [state.as_mut_ptr().cast(), &mut count as *mut i64 as *mut c_void];
        check(unsafe { steps_run(self.0, inputs.as_ptr(), sizes.as_ptr(), outputs.as_ptr(), room.as_ptr()) })?;
        Ok((state, count))
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        unsafe { steps_destroy(self.0) }
    }
}

fn check(code: i32) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(steps_error(code)) }.to_string_lossy().into_owned())
}

fn read(path: &str) -> std::io::Result<Vec<f32>> {
    let bytes = fs::read(path)?;
    Ok(bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (state, count) = Steps::new()?.run(&read("steps.input.f32")?)?;
    let expected = read("steps.output.f32")?;
    let differences = state.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    if expected.len() != state.len() || !differences.clone().all(|difference| difference <= 1e-5) {
        return Err("the state differs".into());
    }
    if fs::read("steps.count.i64")? != count.to_le_bytes() {
        return Err(format!("{count} steps are not as many as in Python").into());
    }
    println!("{count} steps, largest difference {:e}", differences.fold(0.0, f32::max));
    Ok(())
}
