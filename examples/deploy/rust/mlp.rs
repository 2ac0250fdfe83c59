//! The chapter's net from Rust. In the folder of the models:
//!
//!     rustc --edition 2021 -O ../rust/mlp.rs -L. -C link-arg=-Wl,-rpath,. && ./mlp

use std::ffi::{c_void, CStr};
use std::{error::Error, fs, os::raw::c_char, ptr};

#[link(name = "mlp")]
extern "C" {
    fn mlp_create(model: *mut *mut c_void, options: *const c_void) -> i32;
    fn mlp_run(
        model: *mut c_void,
        inputs: *const *const c_void,
        input_sizes: *const i64,
        outputs: *const *mut c_void,
        output_sizes: *const i64,
    ) -> i32;
    fn mlp_destroy(model: *mut c_void);
    fn mlp_error(code: i32) -> *const c_char;
}

struct Mlp(*mut c_void);

/// Any number of threads may run one model.
unsafe impl Send for Mlp {}
unsafe impl Sync for Mlp {}

impl Mlp {
    fn new() -> Result<Mlp, String> {
        let mut model = Mlp(ptr::null_mut());
        check(unsafe { mlp_create(&mut model.0, ptr::null()) })?;
        Ok(model)
    }

    fn run(&self, data: &[f32]) -> Result<[f32; 2], String> {
        let (sizes, mut output) = ([1, data.len() as i64], [0.0; 2]);
        let (inputs, outputs) = ([data.as_ptr().cast()], [output.as_mut_ptr().cast()]);
        check(unsafe { mlp_run(self.0, inputs.as_ptr(), sizes.as_ptr(), outputs.as_ptr(), ptr::null()) })?;
        Ok(output)
    }
}

impl Drop for Mlp {
    fn drop(&mut self) {
        unsafe { mlp_destroy(self.0) }
    }
}

fn check(code: i32) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(mlp_error(code)) }.to_string_lossy().into_owned())
}

fn read(path: &str) -> std::io::Result<Vec<f32>> {
    let bytes = fs::read(path)?;
    Ok(bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let output = Mlp::new()?.run(&read("mlp.input.f32")?)?;
    let expected = read("mlp.output.f32")?;
    let differences = output.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    if expected.len() != 2 || !differences.clone().all(|difference| difference <= 1e-5) {
        return Err(format!("{output:?} is not {expected:?}").into());
    }
    println!("output {output:?}, largest difference {:e}", differences.fold(0.0, f32::max));
    Ok(())
}
