terraform {
  backend "http" {}
}

variable "vpc_id" {
  type = string
}

variable "subnet_ids" {
  type = list(string)
}

# Stands for a change that takes its time.
resource "terraform_data" "cluster" {
  triggers_replace = [var.vpc_id, var.subnet_ids]

  provisioner "local-exec" {
    command = "sleep 2"
  }
}

output "url" {
  value = "postgres://db.${var.vpc_id}.internal/shop"
}
