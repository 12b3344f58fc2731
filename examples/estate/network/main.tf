terraform {
  # Settings come from the environment: `taco exec` and `taco rollout work` bring them along.
  backend "http" {}
}

variable "subnets" {
  description = "How many subnets there are."
  type        = number
  default     = 2
}

resource "terraform_data" "vpc" {
  input = { cidr = "10.0.0.0/16", subnets = var.subnets }
}

output "vpc_id" {
  value = "vpc-0a1b2c"
}

output "subnet_ids" {
  value = [for number in range(var.subnets) : "subnet-${number}"]
}

output "zone" {
  value = "example.com"
}
