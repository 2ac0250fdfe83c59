//! Training in Rust, with a checkpoint in the middle. In the folder of the model:
//!
//!     mkdir -p step-rust/examples && cp ../train.rs step-rust/examples
//!     cargo run --quiet --offline --manifest-path step-rust/Cargo.toml --example train

use std::{error::Error, fs};
use step::Model;

const ROWS: usize = 32;
const PIXELS: usize = 64;
const BATCHES: usize = 8;

fn read(path: &str) -> std::io::Result<Vec<f32>> {
    Ok(fs::read(path)?.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect())
}

fn train(model: &Model, x: &[f32], y: &[f32], expected: &[f32], first: usize) -> Result<(), Box<dyn Error>> {
    for (k, &wanted) in expected.iter().enumerate() {
        let batch = (first + k) % BATCHES;
        let mut loss = [0.0];
        let images = &x[batch * ROWS * PIXELS..(batch + 1) * ROWS * PIXELS];
        model.run(images, &y[batch * ROWS..(batch + 1) * ROWS], &mut loss)?;
        if loss[0] != wanted {
            return Err(format!("loss {} of step {} is {wanted} in Python", loss[0], first + k).into());
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y, expected) = (read("step.x.f32")?, read("step.y.f32")?, read("step.losses.f32")?);
    let model = Model::new()?;
    train(&model, &x, &y, &expected[..50], 0)?;
    model.save("checkpoint_rs.safetensors")?;
    train(&model, &x, &y, &expected[50..], 50)?;

    let again = Model::new()?; // as another process would
    again.load("checkpoint_rs.safetensors")?;
    train(&again, &x, &y, &expected[50..], 50)?;
    let (steps, rate) = (again.get::<i64>("step")?[0], again.get::<f64>("learning_rate")?[0]);
    println!("{steps} steps at {rate}, every loss as in Python, bit for bit");
    again.set("learning_rate", &[0.001])?; // from here on
    Ok(())
}
